// RFC 37 - files archived in the jobspec by --add-file.
#pragma once

#include <string>
#include <string_view>

#include "base/json.hpp"
#include "base/result.hpp"
#include "cmd/options/file_loader.hpp"

namespace sluice {

struct ArchivedFile {
    std::string name;
    JsonObject entry;  // {"mode","data","encoding"[,"size"]}
};

/// `argument` is "[NAME[:PERMS]=]ARG": ARG with a newline (or a literal \n) is the content, else a
/// path. Errors: EINVAL or the file's errno.
Result<ArchivedFile> archive_file(std::string_view argument, const FileLoader& load);
/// {"mode":0100000|perms,"data","encoding":"utf-8"}.
JsonObject inline_file(unsigned permissions, std::string_view content);

}  // namespace sluice
