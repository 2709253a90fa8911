// The sub-commands of flux job that control, inspect and list jobs.
#pragma once

namespace sluice {

int job_eventlog(int argc, char** argv);
int job_hostpids(int argc, char** argv);
int job_id(int argc, char** argv);
int job_info(int argc, char** argv);
int job_kill(int argc, char** argv);
int job_killall(int argc, char** argv);
int job_last(int argc, char** argv);
int job_list(int argc, char** argv);
int job_list_ids(int argc, char** argv);
int job_list_inactive(int argc, char** argv);
int job_memo(int argc, char** argv);
int job_namespace(int argc, char** argv);
int job_purge(int argc, char** argv);
int job_raise(int argc, char** argv);
int job_raiseall(int argc, char** argv);
int job_stats(int argc, char** argv);
int job_submit(int argc, char** argv);
int job_taskmap(int argc, char** argv);
int job_timeleft(int argc, char** argv);
int job_urgency(int argc, char** argv);
int job_wait(int argc, char** argv);
int job_wait_event(int argc, char** argv);
int job_why(int argc, char** argv);

}  // namespace sluice
