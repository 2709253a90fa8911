// The resources that a configuration declares, for `flux R parse-config`.
#pragma once

#include <string>

#include "base/result.hpp"
#include "base/rfc/resource_set.hpp"

namespace sluice {

/// `path`: a .toml file, or a folder whose *.toml files are read in the order of their names.
/// Errors: as the files and resource_set_of_entries tell.
Result<ResourceSet> configured_resources(const std::string& path);

}  // namespace sluice
