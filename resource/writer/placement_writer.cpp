#include "resource/writer/placement_writer.hpp"

#include <algorithm>
#include <map>

#include "base/rfc/hostlist.hpp"
#include "base/rfc/idset.hpp"

namespace sluice {
namespace {

std::string simple_line(const TypedGraph& graph, const PlacedVertex& placed, std::string_view whole,
                        std::string_view shared) {
    std::string line = "      ";
    for (int i = 0; i < placed.depth; ++i) line += "---";
    return line + fmt::format("{}[{}:{}]\n", graph[placed.vertex].name, placed.needs,
                              placed.exclusive ? whole : shared);
}

std::string write_simple(const TypedGraph& graph, const Placement& placement) {
    std::string text;
    for (const PlacedVertex& placed : placement.vertices)
        text += simple_line(graph, placed, "x", "s");
    return text;
}

std::string write_pretty(const TypedGraph& graph, const Placement& placement) {
    std::string text;
    for (auto placed = placement.vertices.rbegin(); placed != placement.vertices.rend(); ++placed)
        text += simple_line(graph, *placed, "exclusive", "shared");
    return text;
}

JsonObject texts(const auto& map) {
    JsonObject object;
    for (const auto& [key, value] : map) object[key] = value;
    return object;
}

JsonObject vertex_to_json(const TypedGraph& graph, const PlacedVertex& placed) {
    const Vertex& what = graph[placed.vertex];
    JsonObject metadata{{"type", what.type}};
    if (what.basename != what.type) metadata["basename"] = what.basename;
    if (what.name != fmt::format("{}{}", what.basename, what.id)) metadata["name"] = what.name;
    metadata["id"] = what.id;
    metadata["rank"] = what.rank;
    if (!what.properties.empty()) metadata["properties"] = texts(what.properties);
    if (!what.unit.empty()) metadata["unit"] = what.unit;
    if (placed.exclusive) metadata["exclusive"] = true;
    if (placed.needs != 1) metadata["size"] = placed.needs;
    if (!what.paths.empty()) metadata["paths"] = texts(what.paths);
    if (!placed.label.empty()) metadata["ephemeral"] = JsonObject{{"label", placed.label}};
    if (!placed.sums.empty()) metadata["agfilter"] = texts(placed.sums);
    return {{"id", std::to_string(what.uniq_id)}, {"metadata", std::move(metadata)}};
}

/// Ranks with the same children, and the properties of all.
struct Rlite {
    std::map<std::string, std::map<std::int64_t, std::vector<std::string>>> by_children;
    std::map<std::string, Idset> properties;
};

void add_node(const Vertex& node, std::map<std::string, Idset>& ids, Rlite& rlite) {
    JsonObject children;
    for (auto& [type, set] : ids)
        if (!set.empty()) children[type] = set.to_string();
    ids.clear();
    if (children.empty()) return;
    rlite.by_children[dump_json_spaced(children)][node.rank].push_back(node.name);
    if (node.rank < 0 || node.rank > Idset::id_max) return;
    for (const auto& [key, value] : node.properties)
        rlite.properties[value.empty() ? key : key + "=" + value].insert(
            static_cast<Idset::Id>(node.rank));
}

Rlite gather(const TypedGraph& graph, const Placement& placement) {
    Rlite rlite;
    std::map<std::string, Idset> ids;  // since the last node; children come before their parent
    for (const PlacedVertex& placed : placement.vertices) {
        const Vertex& what = graph[placed.vertex];
        if ((what.type == "core" || what.type == "gpu") && what.id >= 0 &&
            what.id <= Idset::id_max)
            ids[std::string{what.type}].insert(static_cast<Idset::Id>(what.id));
        else if (what.type == "node" || what.type == "storage_node")
            add_node(what, ids, rlite);
    }
    return rlite;
}

JsonArray rlite_to_json(const Rlite& rlite) {
    JsonArray entries;
    for (const auto& [children, hosts] : rlite.by_children) {
        Idset ranks;
        for (const auto& [rank, names] : hosts)
            if (rank >= 0 && rank <= Idset::id_max) ranks.insert(static_cast<Idset::Id>(rank));
        entries.push_back(JsonObject{{"rank", ranks.to_string()},
                                     {"children", boost::json::parse(children)}});
    }
    return entries;
}

std::string hosts_of(const Rlite& rlite) {
    std::map<std::int64_t, std::vector<std::string>> by_rank;
    for (const auto& [children, hosts] : rlite.by_children)
        for (const auto& [rank, names] : hosts)
            by_rank[rank].insert(by_rank[rank].end(), names.begin(), names.end());
    Hostlist list;
    for (const auto& [rank, names] : by_rank)
        for (const std::string& name : names) list.append(name);
    return list.to_string();
}

std::string write_rlite(const TypedGraph& graph, const Placement& placement) {
    const Rlite rlite = gather(graph, placement);
    if (rlite.by_children.empty()) return {};
    return dump_json_spaced(rlite_to_json(rlite)) + "\n";
}

std::string write_rv1(const TypedGraph& graph, const Placement& placement, bool with_graph,
                      bool shorthand) {
    const Rlite rlite = gather(graph, placement);
    if (rlite.by_children.empty()) return {};
    JsonObject execution{{"R_lite", rlite_to_json(rlite)},
                         {"nodelist", JsonArray{Json(hosts_of(rlite))}}};
    if (!rlite.properties.empty()) {
        JsonObject properties;
        for (const auto& [property, ranks] : rlite.properties)
            properties[property] = ranks.to_string();
        execution["properties"] = std::move(properties);
    }
    execution["starttime"] = placement.start;
    execution["expiration"] = placement.end;
    JsonObject R{{"version", 1}, {"execution", std::move(execution)}};
    if (with_graph) {
        R["scheduling"] = placement_to_jgf(graph, placement, shorthand);
        if (!placement.queue.empty())
            R["attributes"] =
                JsonObject{{"system", JsonObject{{"scheduler",
                                                  JsonObject{{"queue", placement.queue}}}}}};
    }
    return dump_json_spaced(Json(std::move(R))) + "\n";
}

}  // namespace

Result<PlacementFormat> parse_placement_format(std::string_view name) {
    using enum PlacementFormat;
    constexpr std::pair<std::string_view, PlacementFormat> known[] = {
        {"simple", simple}, {"pretty_simple", pretty_simple}, {"rlite", rlite}, {"rv1", rv1},
        {"rv1_nosched", rv1_nosched}, {"rv1_shorthand", rv1_shorthand}, {"jgf", jgf},
        {"jgf_shorthand", jgf_shorthand},
    };
    for (const auto& [word, format] : known)
        if (word == name) return format;
    return fail(EINVAL, "unknown match format '{}'", name);
}

Json placement_to_jgf(const TypedGraph& graph, const Placement& placement, bool shorthand) {
    JsonArray nodes, edges;
    bool complete = true;
    for (const PlacedVertex& placed : placement.vertices) {
        if (shorthand && placed.parent_exclusive)
            complete = false;
        else
            nodes.push_back(vertex_to_json(graph, placed));
    }
    for (const PlacedEdge& placed : placement.edges) {
        if (shorthand && placed.parent_exclusive) continue;
        JsonObject edge{{"source", std::to_string(graph[graph.from(placed.edge)].uniq_id)},
                        {"target", std::to_string(graph[graph.to(placed.edge)].uniq_id)}};
        if (graph[placed.edge].subsystem != containment)
            edge["metadata"] = JsonObject{{"subsystem", graph[placed.edge].subsystem}};
        edges.push_back(std::move(edge));
    }
    JsonObject jgf{{"graph", JsonObject{{"nodes", std::move(nodes)}, {"edges", std::move(edges)}}}};
    if (!complete) jgf["writer"] = "fluxion:jgf_shorthand";
    return Json(std::move(jgf));
}

std::string write_placement(const TypedGraph& graph, const Placement& placement,
                            PlacementFormat format) {
    using enum PlacementFormat;
    if (placement.empty()) return {};
    switch (format) {
        case simple: return write_simple(graph, placement);
        case pretty_simple: return write_pretty(graph, placement);
        case rlite: return write_rlite(graph, placement);
        case rv1: return write_rv1(graph, placement, true, false);
        case rv1_shorthand: return write_rv1(graph, placement, true, true);
        case rv1_nosched: return write_rv1(graph, placement, false, false);
        case jgf:
        case jgf_shorthand:
            if (placement.edges.empty()) return {};
            return dump_json_spaced(placement_to_jgf(graph, placement, format == jgf_shorthand)) +
                   "\n";
    }
    return {};
}

}  // namespace sluice
