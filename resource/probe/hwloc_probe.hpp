// Finds this node's cores and GPUs with hwloc: the cores that the cgroup's cpuset and the process'
// own binding allow, and each co-processor once, whatever runtimes report it.
#pragma once

#include <string>

#include "base/result.hpp"
#include "resource/node_description.hpp"

namespace sluice {

struct ProbeOptions {
    std::string hostname;
    /// Topology file to read in place of the machine; "" takes FLUX_HWLOC_XMLFILE, if that is set.
    std::string xml_path;
    /// All cores of the machine, bound or not ([resource] norestrict).
    bool unrestricted = false;
};

/// Cores are numbered from 0 over those that may be used, in hwloc's logical order, so that pods
/// with CPUs of their own on one machine have the same R; GPUs over the whole machine.
/// Errors: ENOENT, EINVAL naming the XML file; EIO when hwloc cannot read the machine.
Result<NodeDescription> probe_node(const ProbeOptions& options);
/// The topology as XML, for resource.topo-get.
Result<std::string> probe_topology_xml(const ProbeOptions& options);

}  // namespace sluice
