// What the commands about the instance itself share: the reference's "built-in" commands, which
// report a missing broker in the name of `flux`, ranks, and lines of the log.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/rfc/hostlist.hpp"
#include "base/rfc/idset.hpp"
#include "base/rpc/handle.hpp"

namespace sluice {

/// The connection, or nullopt after printing "flux: flux_open: …" (exit code 1).
std::optional<Handle> open_builtin();
/// As open_builtin in the name of a tool of its own: "flux-exec: flux_open: …".
std::optional<Handle> open_tool(std::string_view tool);

/// The hosts by rank (attribute hostlist). Errors: as attr.get, EINVAL.
Result<Hostlist> instance_hosts(Handle& flux);
/// The text of errno alone, which is what the C tools print after their own words.
std::string errno_text(const Error& error);

}  // namespace sluice
