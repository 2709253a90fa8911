// flux kvs: the table of its commands.
#include "cmd/kvs/client.hpp"

namespace sluice {
namespace {

constexpr Command commands[] = {
    {"namespace", cmd_kvs_namespace, "Create, remove and list namespaces"},
    {"get", cmd_kvs_get, "Print values"},
    {"put", cmd_kvs_put, "Store values"},
    {"dir", cmd_kvs_dir, "Print keys and values of a directory"},
    {"ls", cmd_kvs_ls, "List directories"},
    {"unlink", cmd_kvs_unlink, "Remove keys"},
    {"link", cmd_kvs_link, "Make a symbolic link"},
    {"readlink", cmd_kvs_readlink, "Print the targets of symbolic links"},
    {"mkdir", cmd_kvs_mkdir, "Make directories"},
    {"copy", cmd_kvs_copy, "Copy a key"},
    {"move", cmd_kvs_move, "Move a key"},
    {"getroot", cmd_kvs_getroot, "Print the current root"},
    {"version", cmd_kvs_version, "Print the version of the KVS"},
    {"wait", cmd_kvs_wait, "Wait for a version of the KVS"},
    {"sync", cmd_kvs_sync, "Wait until the KVS is safe in the store"},
    {"eventlog", cmd_kvs_eventlog, "Append to, print and follow eventlogs"},
};

}  // namespace

int cmd_kvs(int argc, char** argv) {
    return run_subcommand("flux-kvs", commands, argc, argv);
}

}  // namespace sluice
