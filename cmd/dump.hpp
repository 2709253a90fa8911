// Snapshots of the KVS (flux-archive under the name of `flux`), and whether its store is whole.
#pragma once

namespace sluice {

int cmd_dump(int argc, char** argv);
int cmd_fsck(int argc, char** argv);
int cmd_gc(int argc, char** argv);
int cmd_restore(int argc, char** argv);

}  // namespace sluice
