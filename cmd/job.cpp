// flux job: the table of its sub-commands.
#include "cmd/commands.hpp"
#include "cmd/job/job_commands.hpp"

namespace sluice {

int cmd_job(int argc, char** argv) {
    // One line a sub-command.
    static constexpr Command table[] = {
        {"attach", job_attach, "Stay with a job until it ends"},
        {"status", job_status, "Wait for jobs and exit with the largest exit code"},
        {"eventlog", job_eventlog, "Print the eventlog of a job"},
        {"hostpids", job_hostpids, "Print host and process id of the tasks of a job"},
        {"id", job_id, "Convert job ids to another form"},
        {"info", job_info, "Print an object of a job"},
        {"kill", job_kill, "Send a signal to running jobs"},
        {"killall", job_killall, "Send a signal to all running jobs"},
        {"last", job_last, "Print the ids of my most recent jobs"},
        {"list", job_list, ""},
        {"list-ids", job_list_ids, ""},
        {"list-inactive", job_list_inactive, ""},
        {"memo", job_memo, "Attach notes to a job"},
        {"namespace", job_namespace, "Print the KVS namespace of jobs"},
        {"purge", job_purge, "Drop inactive jobs"},
        {"raise", job_raise, "Raise an exception on jobs"},
        {"raiseall", job_raiseall, "Raise an exception on all jobs"},
        {"stats", job_stats, "Print numbers of jobs"},
        {"submit", job_submit, "Submit a jobspec"},
        {"taskmap", job_taskmap, "Print or convert a taskmap"},
        {"timeleft", job_timeleft, "Print the seconds a job has left"},
        {"urgency", job_urgency, "Set the urgency of a job"},
        {"wait", job_wait, "Wait for waitable jobs to end"},
        {"why", job_why, "Say why a job waits and what would change that"},
        {"wait-event", job_wait_event, "Wait for an event of a job"},
    };
    return run_subcommand("flux-job", table, argc, argv);
}

}  // namespace sluice
