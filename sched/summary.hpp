// The short form of a resource set shown to users: "rank[0-1]/core[0-3],gpu0 rank2/core0".
#pragma once

#include <string>

#include "base/rfc/resource_set.hpp"

namespace sluice {

std::string resource_summary(const ResourceSet& R);

}  // namespace sluice
