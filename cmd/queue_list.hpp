// flux queue list: one row a queue, by the output-format language.
#pragma once

namespace sluice {

int cmd_queue_list(int argc, char** argv);

}  // namespace sluice
