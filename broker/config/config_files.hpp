// Reads the configuration from files and from --conf values (cli.md 4.2), and checks the tables
// that the broker reads itself. Faults name file, line and column.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"

namespace sluice {

struct ConfigSources {
    std::optional<std::string> path;  // a folder of *.toml, or one .toml or .json file
    std::vector<std::string> extra;   // --conf: KEY=VAL, {JSON}, TOML text, or a file
};

/// Errors: EINVAL "file:line:column: key: what was found; the cure".
Result<JsonObject> load_config(const ConfigSources& sources);

}  // namespace sluice
