// The attributes a broker knows about itself, before and after the bootstrap.
#pragma once

#include "base/result.hpp"

namespace sluice {

class Attributes;
struct Bootstrap;

/// The level of the protocols we speak: clients compare major.minor with their own.
inline constexpr const char* protocol_version = "0.88.0";

/// Process, user and host.
void set_own_attributes(Attributes& attributes);
/// Rank, size, place in the tree, enclosing job. Errors: EINVAL broker.quorum over the size.
Result<void> set_boot_attributes(Attributes& attributes, const Bootstrap& boot);

}  // namespace sluice
