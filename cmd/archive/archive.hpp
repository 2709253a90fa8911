// What the `flux archive` commands share: the archive of a name in the KVS (RFC 37).
#pragma once

#include <string>

#include "base/rpc/handle.hpp"
#include "cmd/cli.hpp"
#include "cmd/kvs/client.hpp"

namespace sluice {

struct ArchivePlace {
    std::string name = "main";
    bool no_force_primary = false;

    void declare(Cli& cli);
    std::string key() const { return "archive." + name; }
    /// Where references are kept so that garbage collection leaves their blobs.
    std::string blobs_key() const { return key() + "_blobs"; }
    std::string name_space() const {
        return no_force_primary ? kvs_namespace(std::nullopt) : "primary";
    }
    KvsQuery query() const { return {.name_space = name_space(), .key = key(), .at = {}}; }
};

/// The archive's JSON text. Errors: "KVS lookup KEY: …".
Result<std::string> look_up_archive(Handle& flux, const ArchivePlace& place);
/// Changes to the directory of -C, if one was given. Errors: naming it.
Result<void> enter_directory(const std::string& path);

int cmd_archive_create(int argc, char** argv);
int cmd_archive_extract(int argc, char** argv);
int cmd_archive_list(int argc, char** argv);
int cmd_archive_remove(int argc, char** argv);

}  // namespace sluice
