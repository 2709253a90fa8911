// The sub-commands of flux cron.
#pragma once

namespace sluice {

int cmd_cron_at(int argc, char** argv);
int cmd_cron_delete(int argc, char** argv);
int cmd_cron_dump(int argc, char** argv);
int cmd_cron_event(int argc, char** argv);
int cmd_cron_interval(int argc, char** argv);
int cmd_cron_list(int argc, char** argv);
int cmd_cron_start(int argc, char** argv);
int cmd_cron_stop(int argc, char** argv);
int cmd_cron_sync(int argc, char** argv);
int cmd_cron_tab(int argc, char** argv);

}  // namespace sluice
