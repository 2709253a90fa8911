#include "shell/run/topology.hpp"

#include <hwloc.h>

#include <cstdlib>
#include <memory>
#include <string>

namespace sluice::shell {
namespace {

hwloc_topology_t raw(void* topology) {
    return static_cast<hwloc_topology_t>(topology);
}

/// Cores as the resource probe numbers them, those that we may use; PUs where the machine tells of
/// no cores.
std::vector<Idset> read_cores(hwloc_topology_t topology) {
    const std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)> usable{
        hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology)), hwloc_bitmap_free};
    const std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)> bound{hwloc_bitmap_alloc(),
                                                                              hwloc_bitmap_free};
    if (hwloc_topology_is_thissystem(topology) &&
        hwloc_get_cpubind(topology, bound.get(), HWLOC_CPUBIND_PROCESS) == 0)
        hwloc_bitmap_and(usable.get(), usable.get(), bound.get());
    const hwloc_obj_type_t type =
        hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
    std::vector<Idset> cores;
    for (hwloc_obj_t core = nullptr;
         (core = hwloc_get_next_obj_by_type(topology, type, core)) != nullptr;) {
        Idset pus;
        for (int pu = -1; (pu = hwloc_bitmap_next(core->cpuset, pu)) >= 0;)
            if (hwloc_bitmap_isset(usable.get(), static_cast<unsigned>(pu)))
                pus.insert(static_cast<Idset::Id>(pu));
        if (!pus.empty()) cores.push_back(std::move(pus));
    }
    return cores;
}

/// A topology without hwloc's plugins: they find devices, which a shell has no use for, and bring a
/// dozen libraries that every fork of the zygote would have to copy. nullptr: out of memory.
hwloc_topology_t new_topology() {
    constexpr const char* plugins_path = "HWLOC_PLUGINS_PATH";
    const char* path = std::getenv(plugins_path);
    const std::string before = path ? path : "";
    ::setenv(plugins_path, "", 1);
    hwloc_topology_t topology = nullptr;
    const bool made = hwloc_topology_init(&topology) == 0;
    if (path) ::setenv(plugins_path, before.c_str(), 1);
    else ::unsetenv(plugins_path);
    return made ? topology : nullptr;
}

}  // namespace

void Topology::Deleter::operator()(void* topology) const {
    hwloc_topology_destroy(raw(topology));
}

Topology::Topology(Topology&&) noexcept = default;
Topology::~Topology() = default;

Result<Topology> Topology::load() {
    hwloc_topology_t loaded = new_topology();
    if (!loaded) return fail(ENOMEM, "hwloc: out of memory");
    Topology topology;
    topology.topology_.reset(loaded);
    if (hwloc_topology_load(loaded) != 0)
        return fail(EIO, "hwloc: cannot read this machine's topology");
    topology.pus_of_core_ = read_cores(loaded);
    return topology;
}

Result<void> Topology::write_xml(const std::string& path, const Idset& cpus) const {
    hwloc_topology_t copy = nullptr;
    if (hwloc_topology_dup(&copy, raw(topology_.get())) != 0)
        return fail(ENOMEM, "{}: hwloc cannot copy the topology", path);
    const std::unique_ptr<void, Deleter> owned{copy};
    if (!cpus.empty()) {
        hwloc_bitmap_t set = hwloc_bitmap_alloc();
        for (const Idset::Id cpu : cpus) hwloc_bitmap_set(set, cpu);
        const int restricted = hwloc_topology_restrict(copy, set, 0);
        hwloc_bitmap_free(set);
        if (restricted != 0)
            return fail(EIO, "hwloc.restrict: hwloc cannot leave only CPUs {}", cpus.to_string());
    }
    if (hwloc_topology_export_xml(copy, path.c_str(), 0) != 0)
        return fail(EIO, "{}: hwloc cannot write the topology", path);
    return {};
}

}  // namespace sluice::shell
