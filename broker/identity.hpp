// The attributes a broker knows about itself, before and after the bootstrap.
#pragma once

#include "base/json.hpp"
#include "base/result.hpp"
#include "broker/connector/access.hpp"

namespace sluice {

class Attributes;
struct Bootstrap;

/// The level of the protocols we speak: clients compare major.minor with their own.
inline constexpr const char* protocol_version = "0.88.0";

/// Process, user and host.
void set_own_attributes(Attributes& attributes);
/// Errors: EINVAL broker.quorum is over the size.
Result<void> check_quorum(const Attributes& attributes, const Bootstrap& boot);
/// Rank, size, place in the tree, enclosing job.
void set_boot_attributes(Attributes& attributes, const Bootstrap& boot);
/// The [access] table, which must have been checked.
AccessPolicy access_policy(const JsonObject& config, UserId owner);

}  // namespace sluice
