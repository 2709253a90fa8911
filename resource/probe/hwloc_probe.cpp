#include "resource/probe/hwloc_probe.hpp"

#include <hwloc.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {
namespace {

struct TopologyFree {
    void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, TopologyFree>;
struct BitmapFree {
    void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using CpuSet = std::unique_ptr<hwloc_bitmap_s, BitmapFree>;

std::string xml_path(const ProbeOptions& options) {
    if (!options.xml_path.empty()) return options.xml_path;
    const char* path = std::getenv("FLUX_HWLOC_XMLFILE");
    return path ? path : "";
}

/// Has this machine a device that could be a co-processor? Asking the kernel's drivers first saves
/// nine tenths of the probe's time, hwloc's walk over all devices and its runtimes' libraries.
bool may_have_gpus() {
    for (const char* device : {"/dev/nvidiactl", "/dev/nvidia0", "/dev/kfd", "/dev/dri",
                               "/dev/dxg", "/dev/accel", "/dev/xpu"})
        if (access(device, F_OK) == 0) return true;
    return false;
}

/// Keeps hwloc from loading its plug-ins while it lives, unless the user has set their path.
class WithoutPlugins {
  public:
    explicit WithoutPlugins(bool wanted)
        : set_(wanted && setenv("HWLOC_PLUGINS_PATH", "/nonexistent", 0) == 0 &&
               std::string_view{std::getenv("HWLOC_PLUGINS_PATH")} == "/nonexistent") {}
    ~WithoutPlugins() {
        if (set_) unsetenv("HWLOC_PLUGINS_PATH");
    }
    WithoutPlugins(const WithoutPlugins&) = delete;

  private:
    bool set_;
};

Result<Topology> load(const ProbeOptions& options) {
    const std::string path = xml_path(options);
    const bool with_devices = !path.empty() || may_have_gpus();
    const WithoutPlugins guard{!with_devices};
    hwloc_topology_t raw = nullptr;
    if (hwloc_topology_init(&raw) != 0) return fail(ENOMEM, "hwloc: out of memory");
    Topology topology{raw};
    if (!path.empty()) {
        if (access(path.c_str(), R_OK) != 0)
            return fail(errno, "{}: cannot read the topology: {}", path, std::strerror(errno));
        if (hwloc_topology_set_xml(raw, path.c_str()) != 0)
            return fail(EINVAL, "{}: not an hwloc topology; make one with lstopo --of xml", path);
    }
    hwloc_topology_set_io_types_filter(raw, with_devices ? HWLOC_TYPE_FILTER_KEEP_IMPORTANT
                                                         : HWLOC_TYPE_FILTER_KEEP_NONE);
    if (hwloc_topology_load(raw) != 0)
        return path.empty() ? fail(EIO, "hwloc: cannot read this machine's topology")
                            : fail(EINVAL, "{}: not an hwloc topology; make one with lstopo --of "
                                           "xml", path);
    return topology;
}

/// CPUs that may be used: what the cgroup allows, less what this process is not bound to. A
/// topology from a file describes another machine, where our binding means nothing.
CpuSet usable_cpus(hwloc_topology_t topology, const ProbeOptions& options) {
    CpuSet usable{hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology))};
    if (options.unrestricted || !hwloc_topology_is_thissystem(topology)) return usable;
    const CpuSet bound{hwloc_bitmap_alloc()};
    if (hwloc_get_cpubind(topology, bound.get(), HWLOC_CPUBIND_PROCESS) == 0)
        hwloc_bitmap_and(usable.get(), usable.get(), bound.get());
    return usable;
}

/// Objects that count as cores; PUs where the machine tells of none.
hwloc_obj_type_t core_type(hwloc_topology_t topology) {
    return hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
}

/// Those of the usable cores that are among `cpus`, by their place among the usable ones.
Idset cores_within(hwloc_topology_t topology, hwloc_const_cpuset_t usable,
                   hwloc_const_cpuset_t cpus) {
    const hwloc_obj_type_t type = core_type(topology);
    Idset cores;
    Idset::Id place = 0;
    for (hwloc_obj_t core = nullptr;
         (core = hwloc_get_next_obj_by_type(topology, type, core)) != nullptr;) {
        if (!hwloc_bitmap_intersects(core->cpuset, usable)) continue;
        if (hwloc_bitmap_intersects(core->cpuset, cpus)) cores.insert(place);
        ++place;
    }
    return cores;
}

bool is_coprocessor(hwloc_obj_t device) {
    if (device->attr->osdev.type != HWLOC_OBJ_OSDEV_COPROC || !device->subtype) return false;
    constexpr std::string_view runtimes[] = {"CUDA", "RSMI", "LevelZero", "OpenCL"};
    for (const std::string_view runtime : runtimes)
        if (runtime == device->subtype) return true;
    return false;
}

/// An OpenCL platform that drives the CPU is no GPU: it hangs off no PCI device.
hwloc_obj_t pci_device(hwloc_obj_t device) {
    hwloc_obj_t parent = device->parent;
    while (parent && parent->type != HWLOC_OBJ_PCI_DEVICE) parent = parent->parent;
    return parent;
}

struct Gpu {
    hwloc_obj_t device;
    hwloc_obj_t place;  // first ancestor with CPUs
};

/// Each GPU once: several runtimes may show the same PCI device (rocm0 and opencl0d0), and one
/// runtime several devices on one card, which then count as several.
std::vector<Gpu> find_gpus(hwloc_topology_t topology) {
    std::map<hwloc_obj_t, std::map<std::string, std::vector<hwloc_obj_t>>> of_card;
    std::vector<hwloc_obj_t> cards;
    for (hwloc_obj_t device = nullptr;
         (device = hwloc_get_next_osdev(topology, device)) != nullptr;) {
        if (!is_coprocessor(device)) continue;
        hwloc_obj_t card = pci_device(device);
        if (!card && std::string_view{device->subtype} == "OpenCL") continue;
        if (!card) card = device;
        if (!of_card.contains(card)) cards.push_back(card);
        of_card[card][device->subtype].push_back(device);
    }
    std::vector<Gpu> gpus;
    for (const hwloc_obj_t card : cards) {
        const std::vector<hwloc_obj_t>* most = nullptr;
        for (const auto& [runtime, devices] : of_card[card])
            if (!most || devices.size() > most->size()) most = &devices;
        for (const hwloc_obj_t device : *most)
            gpus.push_back({device, hwloc_get_non_io_ancestor_obj(topology, device)});
    }
    return gpus;
}

void add_domains(hwloc_topology_t topology, hwloc_obj_type_t type, LocalityDomain::Kind kind,
                 hwloc_const_cpuset_t usable, const std::vector<Gpu>& gpus,
                 NodeDescription& node) {
    if (hwloc_get_nbobjs_by_type(topology, type) < 2) return;  // one domain tells nothing
    for (hwloc_obj_t object = nullptr;
         (object = hwloc_get_next_obj_by_type(topology, type, object)) != nullptr;) {
        LocalityDomain domain;
        domain.kind = kind;
        domain.cores = cores_within(topology, usable, object->cpuset);
        for (std::size_t i = 0; i < gpus.size(); ++i)
            if (gpus[i].place && hwloc_bitmap_isincluded(gpus[i].place->cpuset, object->cpuset))
                domain.gpus.insert(static_cast<Idset::Id>(i));
        if (!domain.cores.empty()) node.locality.push_back(std::move(domain));
    }
}

}  // namespace

Result<NodeDescription> probe_node(const ProbeOptions& options) {
    SLUICE_TRY(const Topology topology, load(options));
    const CpuSet usable = usable_cpus(topology.get(), options);
    NodeDescription node;
    node.hostname = options.hostname;
    node.cores = cores_within(topology.get(), usable.get(), usable.get());
    const std::vector<Gpu> gpus = find_gpus(topology.get());
    if (!gpus.empty()) node.gpus = Idset::range(0, static_cast<Idset::Id>(gpus.size() - 1));
    add_domains(topology.get(), HWLOC_OBJ_PACKAGE, LocalityDomain::Kind::socket, usable.get(), gpus,
                node);
    add_domains(topology.get(), HWLOC_OBJ_NUMANODE, LocalityDomain::Kind::numa, usable.get(), gpus,
                node);
    return node;
}

Result<std::string> probe_topology_xml(const ProbeOptions& options) {
    SLUICE_TRY(const Topology topology, load(options));
    if (!options.unrestricted && hwloc_topology_is_thissystem(topology.get())) {
        const CpuSet usable = usable_cpus(topology.get(), options);
        hwloc_topology_restrict(topology.get(), usable.get(), 0);
    }
    char* buffer = nullptr;
    int size = 0;
    if (hwloc_topology_export_xmlbuffer(topology.get(), &buffer, &size, 0) != 0)
        return fail(EIO, "hwloc: cannot write the topology as XML");
    std::string xml(buffer, std::strlen(buffer));
    hwloc_free_xmlbuffer(topology.get(), buffer);
    return xml;
}

}  // namespace sluice
