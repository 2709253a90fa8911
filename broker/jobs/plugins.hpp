// The jobtap plugins of the reference's job manager whose work is part of ours: their names, and
// what may be asked of them (wire.md 3.10, flux-config-job-manager(5)). Pure.
#pragma once

#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"

namespace sluice {

inline constexpr std::string_view perilog_plugin = "perilog.so";

/// In the order of `flux jobtap list -a`; perilog.so is there once it is used.
std::vector<std::string_view> plugin_names(bool with_perilog);
/// A file name may have folders in front. Errors: ENOSYS for every other one than perilog.so.
Result<void> check_plugin_load(std::string_view path);
/// Errors: ENOENT for an unknown one, ENOSYS for those that are built in.
Result<void> check_plugin_remove(std::string_view name);

/// Whether [job-manager] plugins asks for perilog.so.
/// Errors: EINVAL for anything else that it asks for.
Result<bool> wants_perilog(const JsonObject& config);

}  // namespace sluice
