// R version 1 (RFC 20) as a graph. What R means is read by base/rfc/resource_set; here are the
// children of any type and their order, which that value does not keep.
#include <charconv>

#include "base/json.hpp"
#include "base/rfc/hostlist.hpp"
#include "base/rfc/idset.hpp"
#include "resource/reader/reader.hpp"
#include "resource/reader/rv1_layout.hpp"

namespace sluice {
namespace {

constexpr std::size_t ids_max = 1u << 24;

Result<Idset> parse_ids(std::string_view what, const Json& value) {
    if (!value.is_string())
        return fail(EINVAL, "{} must be an idset in quotes, found {}", what, json_type_name(value));
    auto ids = Idset::parse(value.get_string());
    if (!ids) return Error{EINVAL, ids.error().in(what).text()};
    if (ids->size() > ids_max) return fail(EINVAL, "{}: over {} ids", what, ids_max);
    return ids;
}

Result<void> read_children(const JsonObject& children, Rv1Layout::Entry& entry) {
    for (const auto& child : children) {
        SLUICE_TRY(Idset ids, parse_ids(child.key(), child.value()));
        entry.children.emplace_back(child.key(), std::move(ids));
    }
    return {};
}

Result<void> read_entry(const Json& value, Rv1Layout& layout, Idset& seen) {
    if (!value.is_object()) return fail(EINVAL, "R_lite must hold objects");
    const JsonObject& object = value.get_object();
    const Json *rank = object.if_contains("rank"), *children = object.if_contains("children");
    if (!rank) return fail(EINVAL, "R_lite: rank is missing");
    Rv1Layout::Entry entry;
    SLUICE_TRY(entry.ranks, parse_ids("rank", *rank));
    if (children && children->is_object())
        SLUICE_CHECK(read_children(children->get_object(), entry));
    if (const Idset twice = seen & entry.ranks; !twice.empty())
        return fail(EEXIST, "rank {} is in R_lite twice", twice.to_string());
    seen |= entry.ranks;
    layout.entries.push_back(std::move(entry));
    return {};
}

Result<void> read_hosts(const JsonObject& execution, Rv1Layout& layout) {
    const Json* nodelist = execution.if_contains("nodelist");
    if (!nodelist) return {};
    if (!nodelist->is_array()) return fail(EINVAL, "nodelist must be an array");
    for (const Json& part : nodelist->get_array()) {
        if (!part.is_string()) return fail(EINVAL, "nodelist must hold strings");
        const auto hosts = Hostlist::parse(part.get_string());
        if (!hosts) return Error{EINVAL, hosts.error().in("nodelist").text()};
        layout.hosts.insert(layout.hosts.end(), hosts->hosts().begin(), hosts->hosts().end());
    }
    return {};
}

Result<void> read_properties(const JsonObject& execution, Rv1Layout& layout) {
    const Json* properties = execution.if_contains("properties");
    if (!properties) return {};
    if (!properties->is_object()) return fail(EINVAL, "properties must be an object");
    for (const auto& [name, value] : properties->get_object()) {
        const std::string what = fmt::format("property {}", std::string_view{name});
        SLUICE_TRY(Idset ranks, parse_ids(what, value));
        layout.properties.emplace(name, std::move(ranks));
    }
    return {};
}

Result<VertexId> add_child(TypedGraph& graph, VertexId parent, Vertex vertex) {
    vertex.paths[graph.intern(containment)] =
        graph[parent].paths.at(containment) + "/" + vertex.name;
    for (const VertexId twin : graph.at_path(vertex.paths.begin()->second))
        if (graph[twin].rank == vertex.rank && graph[twin].id == vertex.id &&
            graph[twin].type == vertex.type)
            return fail(EEXIST, "{} is in R twice", vertex.paths.begin()->second);
    SLUICE_TRY(const VertexId made, graph.add(std::move(vertex)));
    SLUICE_CHECK(graph.connect(parent, made, containment));
    return made;
}

Result<VertexId> add_node(TypedGraph& graph, VertexId cluster, const Rv1Layout& layout,
                          std::uint32_t rank, const std::string& host) {
    SLUICE_TRY(const HostParts parts, split_host(host));
    Vertex node;
    node.type = graph.intern("node");
    node.basename = graph.intern(parts.basename);
    node.name = host;
    node.id = parts.id;
    node.rank = rank;
    for (const auto& [property, ranks] : layout.properties)
        if (ranks.contains(rank)) node.properties.emplace(property, "");
    return add_child(graph, cluster, std::move(node));
}

}  // namespace

Result<Rv1Layout> Rv1Layout::parse(std::string_view text) {
    SLUICE_TRY(const JsonObject R, parse_json_object(text));
    const Json* version = R.if_contains("version");
    if (!version || as_integer(*version) != 1) return fail(EINVAL, "R: version must be 1");
    const Json* execution = R.if_contains("execution");
    if (!execution || !execution->is_object()) return fail(EINVAL, "R: execution is missing");
    const JsonObject& object = execution->get_object();
    const Json* R_lite = object.if_contains("R_lite");
    if (!R_lite || !R_lite->is_array()) return fail(EINVAL, "R: execution.R_lite must be an array");
    Rv1Layout layout;
    Idset seen;
    for (const Json& entry : R_lite->get_array()) SLUICE_CHECK(read_entry(entry, layout, seen));
    SLUICE_CHECK(read_hosts(object, layout));
    SLUICE_CHECK(read_properties(object, layout));
    layout.ranks = std::move(seen);
    return layout;
}

std::optional<std::string> Rv1Layout::host_of(std::uint32_t rank) const {
    // Hosts are listed in rank order: the position of a rank is how many are below it.
    std::size_t position = 0;
    for (const Idset::Range& range : ranks.ranges()) {
        if (rank > range.last) {
            position += range.last - range.first + 1;
        } else {
            position += rank - range.first;
            break;
        }
    }
    if (position >= hosts.size()) return std::nullopt;
    return hosts[position];
}

Result<HostParts> split_host(std::string_view host) {
    const std::size_t last = host.find_last_not_of("0123456789");
    const std::size_t cut = last == std::string_view::npos ? 0 : last + 1;
    HostParts parts{std::string{host.substr(0, cut)}, -1};
    const std::string_view digits = host.substr(cut);
    if (digits.empty()) return parts;
    const auto [end, code] =
        std::from_chars(digits.data(), digits.data() + digits.size(), parts.id);
    if (code != std::errc{} || end != digits.data() + digits.size())
        return fail(EINVAL, "host {}: its number is over 2^63-1", host);
    return parts;
}

Result<void> read_rv1(std::string_view text, TypedGraph& to) {
    SLUICE_TRY(const Rv1Layout layout, Rv1Layout::parse(text));
    Vertex cluster;
    cluster.type = cluster.basename = to.intern("cluster");
    cluster.name = "cluster0";
    cluster.paths[to.intern(containment)] = "/cluster0";
    SLUICE_TRY(const VertexId root, to.add(std::move(cluster)));
    for (const Rv1Layout::Entry& entry : layout.entries)
        for (const std::uint32_t rank : entry.ranks) {
            const auto host = layout.host_of(rank);
            if (!host) return fail(EINVAL, "R: rank {} has no host in nodelist", rank);
            SLUICE_TRY(const VertexId node, add_node(to, root, layout, rank, *host));
            for (const auto& [type, ids] : entry.children)
                for (const std::uint32_t id : ids) {
                    Vertex child;
                    child.type = child.basename = to.intern(type);
                    child.name = fmt::format("{}{}", type, id);
                    child.id = id;
                    child.rank = rank;
                    SLUICE_CHECK(add_child(to, node, std::move(child)));
                }
        }
    return {};
}

}  // namespace sluice
