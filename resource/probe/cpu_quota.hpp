// The CPU time that a container's cgroup allows, which hwloc does not know: a limit on time hides
// no core (Kubernetes: resources.limits.cpu without the static CPU manager).
#pragma once

#include <optional>
#include <string_view>

namespace sluice {

/// CPUs' worth of time of a "QUOTA PERIOD" line (cgroup v2's cpu.max); nullopt for "max" and for
/// nonsense.
std::optional<double> parse_cpu_max(std::string_view line);
/// The smallest such limit of this process' cgroup that is visible here, v2 or v1.
std::optional<double> cpu_quota();

}  // namespace sluice
