#include "resource/probe/hwloc_probe_graph.hpp"

#include <hwloc.h>

#include <charconv>
#include <memory>

#include "resource/reader/reader.hpp"

namespace sluice {
namespace {

struct TopologyFree {
    void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, TopologyFree>;

/// What an object becomes; an empty type: nothing, its children belong to the one above.
struct Kind {
    std::string type, basename, name;
    std::int64_t id = 0;
    std::uint64_t size = 1;
    std::map<std::string, std::string> properties;
};

std::optional<std::int64_t> number(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || code != std::errc{}) return std::nullopt;
    return value;
}

class Walk {
  public:
    Walk(hwloc_topology_t topology, const std::set<std::string, std::less<>>& wanted,
         TypedGraph& graph)
        : topology_(topology), wanted_(wanted), graph_(graph) {}

    Result<void> visit(hwloc_obj_t object, VertexId above) {
        SLUICE_TRY(const Kind kind, kind_of(object));
        if (!kind.type.empty()) {
            SLUICE_TRY(above, add(kind, above));
        }
        for (hwloc_obj_t child = nullptr;
             (child = hwloc_get_next_child(topology_, object, child)) != nullptr;)
            SLUICE_CHECK(visit(child, above));
        return {};
    }

  private:
    bool wants(std::string_view name) const { return wanted_.empty() || wanted_.contains(name); }

    Kind plain(std::string_view name, std::string_view type, hwloc_obj_t object) const {
        Kind kind;
        if (!wants(name)) return kind;
        kind.type = type;
        kind.basename = name;
        kind.id = object->logical_index;
        if (type == "cache") kind.size = object->attr->cache.size / 1024;  // KiB
        return kind;
    }

    Result<Kind> kind_of(hwloc_obj_t object) const {
        switch (object->type) {
            case HWLOC_OBJ_MACHINE: return machine(object);
            case HWLOC_OBJ_GROUP: return plain("group", "group", object);
            case HWLOC_OBJ_NUMANODE: return plain("numanode", "numanode", object);
            case HWLOC_OBJ_PACKAGE: return plain("socket", "socket", object);
            case HWLOC_OBJ_L1CACHE: return plain("L1cache", "cache", object);
            case HWLOC_OBJ_L2CACHE: return plain("L2cache", "cache", object);
            case HWLOC_OBJ_L3CACHE: return plain("L3cache", "cache", object);
            case HWLOC_OBJ_CORE: return plain("core", "core", object);
            case HWLOC_OBJ_PU: return plain("pu", "pu", object);
            case HWLOC_OBJ_OS_DEVICE: return device(object);
            default: return Kind{};
        }
    }

    Result<Kind> machine(hwloc_obj_t object) const {
        const char* host = hwloc_obj_get_info_by_name(object, "HostName");
        if (!host || !wants("node")) return Kind{};
        SLUICE_TRY(const HostParts parts, split_host(host));
        Kind kind;
        kind.type = "node";
        kind.basename = parts.basename;
        kind.name = host;
        kind.id = parts.id;
        return kind;
    }

    Result<Kind> device(hwloc_obj_t object) const {
        const std::string_view name = object->name ? object->name : "";
        const auto type = object->attr->osdev.type;
        if (type == HWLOC_OBJ_OSDEV_BLOCK) return storage(object);
        const bool rsmi = type == HWLOC_OBJ_OSDEV_GPU && name.starts_with("rsmi");
        if (type != HWLOC_OBJ_OSDEV_COPROC && !rsmi) return Kind{};
        Kind kind = plain("gpu", "gpu", object);
        // Co-processors are numbered by their names only: cuda0, rsmi1, opencl0d2.
        std::string_view digits;
        if (name.starts_with("cuda") || name.starts_with("rsmi")) digits = name.substr(4);
        if (name.starts_with("opencl") && name.find('d') != std::string_view::npos)
            digits = name.substr(name.find('d') + 1);
        if (const auto id = number(digits)) kind.id = *id;
        return kind;
    }

    Result<Kind> storage(hwloc_obj_t object) const {
        Kind kind = plain("storage", "storage", object);
        if (kind.type.empty()) return kind;
        const char* size = hwloc_obj_get_info_by_name(object, "Size");
        const auto kilobytes = size ? number(size) : std::nullopt;
        if (!kilobytes || *kilobytes <= 0)
            return fail(EINVAL, "block device {} has no size", object->name ? object->name : "?");
        kind.size = static_cast<std::uint64_t>(*kilobytes) / 1000000;  // GB
        const char* number = hwloc_obj_get_info_by_name(object, "LinuxDeviceID");
        kind.properties["LinuxDeviceID"] = number ? number : "-1";
        return kind;
    }

    Result<VertexId> add(const Kind& kind, VertexId above) {
        Vertex vertex;
        vertex.type = graph_.intern(kind.type);
        vertex.basename = graph_.intern(kind.basename);
        vertex.id = kind.id;
        vertex.name = !kind.name.empty() ? kind.name
                      : kind.id == -1    ? kind.basename
                                         : fmt::format("{}{}", kind.basename, kind.id);
        vertex.size = kind.size;
        vertex.rank = kind.type == "node" ? next_rank_++ : -1;
        vertex.properties = kind.properties;
        vertex.paths[graph_.intern(containment)] =
            graph_[above].paths.at(containment) + "/" + vertex.name;
        SLUICE_TRY(const VertexId made, graph_.add(std::move(vertex)));
        SLUICE_CHECK(graph_.connect(above, made, containment));
        return made;
    }

    hwloc_topology_t topology_;
    const std::set<std::string, std::less<>>& wanted_;
    TypedGraph& graph_;
    std::int64_t next_rank_ = 0;
};

Result<Topology> load(std::string_view xml) {
    hwloc_topology_t raw = nullptr;
    if (hwloc_topology_init(&raw) != 0) return fail(ENOMEM, "hwloc: out of memory");
    Topology topology{raw};
    hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
    hwloc_topology_set_cache_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
    hwloc_topology_set_icache_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
    const std::string text{xml};
    if (text.empty() || text.size() >= INT32_MAX ||
        hwloc_topology_set_xmlbuffer(raw, text.c_str(), static_cast<int>(text.size() + 1)) != 0 ||
        hwloc_topology_load(raw) != 0)
        return fail(EINVAL, "not an hwloc topology; make one with lstopo --of xml");
    return topology;
}

}  // namespace

Result<void> read_hwloc(std::string_view xml, const std::set<std::string, std::less<>>& wanted,
                        TypedGraph& to) {
    SLUICE_TRY(const Topology topology, load(xml));
    Vertex cluster;
    cluster.type = cluster.basename = to.intern("cluster");
    cluster.name = "cluster0";
    cluster.paths[to.intern(containment)] = "/cluster0";
    SLUICE_TRY(const VertexId root, to.add(std::move(cluster)));
    return Walk{topology.get(), wanted, to}.visit(hwloc_get_root_obj(topology.get()), root);
}

}  // namespace sluice
