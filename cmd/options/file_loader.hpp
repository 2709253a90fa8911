// How option values that name files reach their content. The builders of cmd/options take a loader,
// so that they stay pure.
#pragma once

#include <functional>
#include <string>

#include "base/result.hpp"

namespace sluice {

struct LoadedFile {
    std::string content;
    unsigned mode = 0;  // st_mode
};
/// Errors: the errno of the failing call, with the text "[Errno N] TEXT: 'PATH'".
using FileLoader = std::function<Result<LoadedFile>(const std::string& path)>;

/// "[Errno 2] No such file or directory: 'PATH'".
Error file_error(int errnum, const std::string& path);

}  // namespace sluice
