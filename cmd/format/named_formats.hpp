// Named output formats: those built into a tool and those of the user's files flux-TOOL.toml,
// .yaml and .json, chosen by `-o NAME`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"

namespace sluice {

struct NamedFormat {
    std::string name, description, format;
};

/// The formats of one listing tool.
struct FormatCatalog {
    std::string tool;         // "flux-jobs": heading of the list
    std::string file;         // stem of the user's files, "flux-jobs" for pgrep too
    std::string subcommand;   // "list": table in the files; empty: none
    std::string environment;  // variable that replaces the default
    std::vector<NamedFormat> formats;
};

struct FormatChoice {
    std::string format;
    std::string text;  // not empty: print this and end with success
};

/// Adds the formats of a user's file, parsed to JSON. Errors: EINVAL for unknown keys, values that
/// are no text, and for built-in names, with `path` in front.
Result<void> add_user_formats(FormatCatalog& catalog, std::size_t builtin_count,
                              const JsonObject& file, std::string_view path);
/// What `-o WANTED` means. Errors: EINVAL "--format: No such format X (Did you mean '{X}'?)".
Result<FormatChoice> choose_format(const FormatCatalog& catalog, std::string_view wanted,
                                   std::optional<std::string> environment_value);

/// Both with the user's files and the environment of this process.
Result<FormatChoice> choose_user_format(FormatCatalog catalog, std::string_view wanted);

}  // namespace sluice
