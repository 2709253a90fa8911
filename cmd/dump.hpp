// Snapshots of the KVS: both are flux-archive under the name of `flux`.
#pragma once

namespace sluice {

int cmd_dump(int argc, char** argv);
int cmd_restore(int argc, char** argv);

}  // namespace sluice
