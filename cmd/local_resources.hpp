// What this node has, asked of flux-probe: flux itself does not load hwloc.
#pragma once

#include <string>

#include "base/result.hpp"
#include "base/rfc/idset.hpp"

namespace sluice {

struct LocalResources {
    Idset cores, gpus;
};

/// Cores and GPUs of this node within its CPU binding, or of the hwloc file `xml_path` unless "".
/// Errors: those of the probe, with its text; ENOENT when flux-probe is not beside flux.
Result<LocalResources> local_resources(const std::string& xml_path);

}  // namespace sluice
