// flux filemap: the old name of flux archive.
#include "cmd/archive/archive.hpp"
#include "cmd/commands.hpp"

namespace sluice {

int cmd_filemap(int argc, char** argv) {
    static constexpr Command table[] = {
        {"map", cmd_archive_create, "See flux archive create"},
        {"unmap", cmd_archive_remove, "See flux archive remove"},
        {"get", cmd_archive_extract, "See flux archive extract"},
        {"list", cmd_archive_list, "See flux archive list"},
    };
    if (Cli::listing()) return 0;  // the options are those of flux archive
    return run_subcommand("flux-filemap", table, argc, argv);
}

}  // namespace sluice
