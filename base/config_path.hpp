// Where configuration comes from: a path that is a file or a folder of *.toml, and how several
// documents become one.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"

namespace sluice {

/// `path` itself, or the *.toml files of the folder in the order of their names.
/// Errors: of reading the folder, naming it.
Result<std::vector<std::string>> config_files(const std::string& path);
/// Errors: naming the path.
Result<std::string> read_text_file(const std::string& path);
/// Members of `from` go into `to` and win; tables on both sides are merged.
void merge_tables(JsonObject& to, const JsonObject& from);
/// The TOML (or by its name: JSON) documents of `path` as one. Errors: "FILE:LINE:COLUMN: …".
Result<JsonObject> load_config_path(const std::string& path);

}  // namespace sluice
