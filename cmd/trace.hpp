// The two commands that show messages.
#pragma once

namespace sluice {

int cmd_module_trace(int argc, char** argv);
int cmd_overlay_trace(int argc, char** argv);

}  // namespace sluice
