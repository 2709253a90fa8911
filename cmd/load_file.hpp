// Reads the files that command lines name.
#pragma once

#include <string>

#include "cmd/options/file_loader.hpp"

namespace sluice {

/// Content of a regular file or pipe; "~" and "~/" are the home folder.
/// Errors: as FileLoader's.
Result<LoadedFile> load_file(const std::string& path);

}  // namespace sluice
