// RFC 46 - the resources of a jobspec in short: "slot=4/node/[core=2;gpu]", and options
// --resources-shape and --resources-json that replace what the other options ask for.
#pragma once

#include <optional>
#include <string_view>

#include "base/json.hpp"
#include "base/result.hpp"
#include "cmd/options/file_loader.hpp"
#include "cmd/options/submit_options.hpp"

namespace sluice {

/// The `resources` array of a shape. Errors: EINVAL naming the position.
Result<JsonArray> parse_shape(std::string_view text);
/// What --resources-shape or --resources-json says; nullopt without either. Errors: EINVAL for both
/// or bad content; as the file is loaded.
Result<std::optional<JsonArray>> shape_option(const SubmitOptions& options, const FileLoader& load);
/// Label of the first slot in `resources`: "task" unless the shape names it.
std::string slot_label(const JsonArray& resources);

}  // namespace sluice
