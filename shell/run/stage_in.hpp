// Archives of the KVS extracted for a job before its tasks start (option stage-in; RFC 37).
#pragma once

#include <functional>
#include <string>

#include "base/rpc/handle.hpp"
#include "shell/options.hpp"

namespace sluice::shell {

/// Extracts into the option's destination, or `folder`; `on_file` hears of each path.
/// Blocks. Errors: naming the archive or the path.
Result<void> stage_in(Handle& handle, const ShellOptions::StageIn& options,
                      const std::string& folder,
                      const std::function<void(const std::string& path)>& on_file);

}  // namespace sluice::shell
