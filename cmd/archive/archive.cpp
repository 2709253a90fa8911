// flux archive: files and folders in the KVS, for other ranks and for jobs (stage-in).
#include "cmd/archive/archive.hpp"

#include <unistd.h>

namespace sluice {

void ArchivePlace::declare(Cli& cli) {
    cli.option("-n,--name=NAME", name, "Name of the archive (main)");
    cli.flag("--no-force-primary", no_force_primary,
             "Use the namespace of FLUX_KVS_NAMESPACE instead of the primary one");
}

Result<std::string> look_up_archive(Handle& flux, const ArchivePlace& place) {
    const auto object = kvs_lookup(flux, place.query());
    if (!object) return object.error().in("KVS lookup " + place.key());
    return object->value;
}

Result<void> enter_directory(const std::string& path) {
    if (path.empty() || ::chdir(path.c_str()) == 0) return {};
    return fail(errno, "chdir {}: {}", path, Error{errno}.text());
}

namespace {

constexpr Command commands[] = {
    {"create", cmd_archive_create, "Put files and folders into an archive"},
    {"list", cmd_archive_list, "List what is in an archive"},
    {"extract", cmd_archive_extract, "Write the files of an archive"},
    {"remove", cmd_archive_remove, "Remove an archive"},
};

}  // namespace

int cmd_archive(int argc, char** argv) {
    return run_subcommand("flux-archive", commands, argc, argv);
}

}  // namespace sluice
