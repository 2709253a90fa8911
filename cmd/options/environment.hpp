// The environment of a job from --env, --env-remove and --env-file (cli.md 2.4).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "cmd/options/file_loader.hpp"

namespace sluice {

/// Variables in order, as the process has them.
using EnvironmentList = std::vector<std::pair<std::string, std::string>>;

struct JobEnvironment {
    JsonObject variables;
    JsonObject expand;  // shell option env-expand: values with {{tags}}
};

/// `start` changed by rules in order: "-PATTERN", "^FILE", "VAR=VALUE" with $VAR substituted,
/// or "PATTERN" to import what is not there yet.
/// Errors: EINVAL or the file's errno, text without the "--env: " in front.
Result<JobEnvironment> build_environment(const EnvironmentList& start,
                                         const std::vector<std::string>& rules,
                                         const FileLoader& load);

}  // namespace sluice
