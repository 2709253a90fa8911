#include "resource/reader/jgf.hpp"

#include <charconv>
#include <unordered_map>
#include <unordered_set>

#include "resource/reader/reader.hpp"

namespace sluice {
namespace {

std::optional<std::int64_t> number(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || code != std::errc{} || end != text.data() + text.size()) return {};
    return value;
}

Result<std::map<std::string, std::string>> read_texts(std::string_view what, const Json* value) {
    std::map<std::string, std::string> texts;
    if (!value || value->is_null()) return texts;
    if (!value->is_object())
        return fail(EINVAL, "{} must be an object, found {}", what, json_type_name(*value));
    for (const auto& [key, text] : value->get_object()) {
        if (!text.is_string())
            return fail(EINVAL, "{}: {} must be a string", what, std::string_view{key});
        texts.emplace(key, text.get_string());
    }
    return texts;
}

/// Numbers that were not written: a node's own from its name, else the vertex's.
Result<void> fill_in(JgfNode& node) {
    if (node.uniq_id == -1) {
        const auto from_key = number(node.key);
        if (!from_key) return fail(EINVAL, "uniq_id is missing and '{}' is no number", node.key);
        node.uniq_id = *from_key;
    }
    if (node.id == -2) {
        node.id = node.uniq_id;
        if (node.type == "node" && !node.name.empty()) {
            SLUICE_TRY(const HostParts parts, split_host(node.name));
            if (parts.id != -1) node.id = parts.id;
        }
    }
    if (node.basename.empty()) node.basename = node.type;
    if (node.name.empty()) node.name = fmt::format("{}{}", node.basename, node.id);
    return {};
}

Result<void> read_metadata(const JsonObject& metadata, JgfNode& node) {
    JsonReader in{metadata};
    node.type = in.string("type");
    node.basename = in.string_or("basename", "");
    node.name = in.string_or("name", "");
    node.unit = in.string_or("unit", "");
    node.id = in.integer_or("id", -2);
    node.uniq_id = in.integer_or("uniq_id", -1);
    node.rank = in.integer_or("rank", -1);
    const std::int64_t status = in.integer_or("status", 0);
    const std::int64_t size = in.integer_or("size", 1);
    const Json* exclusive = metadata.if_contains("exclusive");
    if (!in) return Error{EINVAL, in.error().text()};
    if (node.type.empty()) return fail(EINVAL, "type is empty");
    if (size < 0) return fail(EINVAL, "size {} is negative", size);
    if (status < 0 || status > 1) return fail(EINVAL, "status must be 0 or 1, found {}", status);
    node.size = static_cast<std::uint64_t>(size);
    node.up = status == 0;
    node.exclusive = exclusive && *exclusive == Json(true);
    SLUICE_TRY(node.paths, read_texts("paths", metadata.if_contains("paths")));
    SLUICE_TRY(node.properties, read_texts("properties", metadata.if_contains("properties")));
    if (node.paths.empty()) return fail(EINVAL, "paths are missing");
    for (const auto& [subsystem, path] : node.paths)
        if (path.size() < 2 || path[0] != '/')
            return fail(EINVAL, "path '{}' must begin with / and name something", path);
    return fill_in(node);
}

Result<JgfNode> read_node(const Json& value) {
    if (!value.is_object()) return fail(EINVAL, "node is not an object");
    const JsonObject& object = value.get_object();
    const Json *key = object.if_contains("id"), *metadata = object.if_contains("metadata");
    if (!key || !key->is_string()) return fail(EINVAL, "node without an id");
    JgfNode node;
    node.key = key->get_string();
    if (!metadata || !metadata->is_object())
        return fail(EINVAL, "node {}: metadata is missing", node.key);
    if (auto read = read_metadata(metadata->get_object(), node); !read)
        return read.error().in(fmt::format("node {}", node.key));
    return node;
}

Result<JgfEdge> read_edge(const Json& value, const std::unordered_set<std::string_view>& known) {
    if (!value.is_object()) return fail(EINVAL, "edge is not an object");
    const JsonObject& object = value.get_object();
    const Json *source = object.if_contains("source"), *target = object.if_contains("target");
    if (!source || !source->is_string() || !target || !target->is_string())
        return fail(EINVAL, "edge without source or target");
    JgfEdge edge{std::string{source->get_string()}, std::string{target->get_string()},
                 "containment"};
    if (const Json* subsystem = find_path(object, "metadata.subsystem")) {
        if (!subsystem->is_string()) return fail(EINVAL, "edge: subsystem must be a string");
        edge.subsystem = subsystem->get_string();
    }
    for (const std::string& end : {edge.source, edge.target})
        if (!known.contains(end))
            return fail(EINVAL, "edge {} -> {}: there is no node {}", edge.source, edge.target,
                        end);
    return edge;
}

Result<const JsonArray*> array_of(const JsonObject& graph, std::string_view key) {
    const Json* value = graph.if_contains(key);
    if (!value || !value->is_array())
        return fail(EINVAL, "JGF: graph.{} is missing or not an array", key);
    return &value->get_array();
}

Vertex to_vertex(const JgfNode& node, TypedGraph& graph) {
    Vertex vertex;
    vertex.type = graph.intern(node.type);
    vertex.basename = graph.intern(node.basename);
    vertex.unit = graph.intern(node.unit);
    vertex.name = node.name;
    vertex.id = node.id;
    vertex.uniq_id = node.uniq_id;
    vertex.rank = node.rank;
    vertex.size = node.size;
    vertex.up = node.up;
    vertex.properties = node.properties;
    for (const auto& [subsystem, path] : node.paths) vertex.paths[graph.intern(subsystem)] = path;
    return vertex;
}

std::optional<VertexId> known_vertex(const TypedGraph& graph, const JgfNode& node) {
    for (const auto& [subsystem, path] : node.paths)
        for (const VertexId vertex : graph.at_path(path))
            if (graph[vertex].rank == node.rank) return vertex;
    return std::nullopt;
}

}  // namespace

Result<Jgf> Jgf::parse(std::string_view text) {
    SLUICE_TRY(const JsonObject document, parse_json_object(text));
    const Json* graph = document.if_contains("graph");
    if (!graph || !graph->is_object()) return fail(EINVAL, "JGF: the key graph is missing");
    SLUICE_TRY(const JsonArray* nodes, array_of(graph->get_object(), "nodes"));
    SLUICE_TRY(const JsonArray* edges, array_of(graph->get_object(), "edges"));
    Jgf jgf;
    if (const Json* ranks = document.if_contains("free_ranks")) {
        if (!ranks->is_string()) return fail(EINVAL, "JGF: free_ranks must be an idset in quotes");
        SLUICE_TRY(jgf.free_ranks, Idset::parse(ranks->get_string()));
    }
    jgf.nodes.reserve(nodes->size());
    std::unordered_set<std::string_view> known;
    for (const Json& value : *nodes) {
        SLUICE_TRY(JgfNode node, read_node(value));
        jgf.nodes.push_back(std::move(node));
        if (!known.insert(jgf.nodes.back().key).second)
            return fail(EINVAL, "node {} is there twice", jgf.nodes.back().key);
    }
    for (const Json& value : *edges) {
        SLUICE_TRY(JgfEdge edge, read_edge(value, known));
        jgf.edges.push_back(std::move(edge));
    }
    return jgf;
}

Result<void> read_jgf(std::string_view text, TypedGraph& to) {
    SLUICE_TRY(const Jgf jgf, Jgf::parse(text));
    std::unordered_map<std::string_view, VertexId> vertices;
    std::unordered_set<std::string_view> added;
    for (const JgfNode& node : jgf.nodes) {
        if (const auto known = known_vertex(to, node)) {
            vertices.emplace(node.key, *known);
            continue;
        }
        SLUICE_TRY(const VertexId vertex, to.add(to_vertex(node, to)));
        vertices.emplace(node.key, vertex);
        added.insert(node.key);
    }
    for (const JgfEdge& edge : jgf.edges) {
        if (!added.contains(edge.source) && !added.contains(edge.target)) continue;
        const VertexId source = vertices.at(edge.source), target = vertices.at(edge.target);
        SLUICE_CHECK(to.connect(source, target, edge.subsystem));
    }
    return to.check_shape();
}

}  // namespace sluice
