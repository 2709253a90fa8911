// What people give as an instance: a URI, or the id of a job that is an instance (wire.md 2.16).
#pragma once

#include <string>

#include "base/result.hpp"

namespace sluice {

/// The URI of `target`: as it is when it has a scheme, else the URI that the job has announced, ids
/// separated by "/" going from instance to instance. ssh URIs of this host become local ones.
/// Errors: EINVAL naming the target.
Result<std::string> resolve_uri(const std::string& target);

}  // namespace sluice
