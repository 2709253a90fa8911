// The sub-commands of flux resource.
#pragma once

namespace sluice {

int cmd_resource_list(int argc, char** argv);
int cmd_resource_info(int argc, char** argv);
int cmd_resource_R(int argc, char** argv);
int cmd_resource_status(int argc, char** argv);
int cmd_resource_acquire_mute(int argc, char** argv);
int cmd_resource_reload(int argc, char** argv);
int cmd_resource_drain(int argc, char** argv);
int cmd_resource_undrain(int argc, char** argv);
int cmd_resource_eventlog(int argc, char** argv);

}  // namespace sluice
