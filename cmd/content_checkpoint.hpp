// flux content checkpoint.
#pragma once

namespace sluice {

int cmd_content_checkpoint(int argc, char** argv);

}  // namespace sluice
