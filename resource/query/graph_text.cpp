#include "resource/query/graph_text.hpp"

#include <fmt/format.h>

namespace sluice {
namespace {

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            default: out += c;
        }
    return out;
}

std::string pairs(const auto& map) {
    std::string text = "{";
    for (const auto& [key, value] : map)
        text += fmt::format("{}{}={}", text.size() > 1 ? "," : "", key, value);
    return text + "}";
}

std::string data(std::string_view key, std::string_view value) {
    return fmt::format("      <data key=\"{}\">{}</data>\n", key, escaped(value));
}

}  // namespace

std::string write_dot(const TypedGraph& graph) {
    std::string text = "digraph G {\n";
    for (VertexId vertex = 0; vertex < graph.vertex_count(); ++vertex)
        text += fmt::format("{}[label=\"{}\"];\n", vertex, graph[vertex].name);
    for (VertexId vertex = 0; vertex < graph.vertex_count(); ++vertex)
        for (const auto& edge : graph.out(vertex))
            text += fmt::format("{}->{} [label=\"{}\"];\n", vertex, graph.to(edge),
                                graph[edge].subsystem);
    return text + "}\n";
}

std::string write_graphml(const TypedGraph& graph) {
    std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                       "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n";
    for (const char* key : {"basename", "id", "name", "paths", "props", "size", "type", "uniq_id",
                            "unit"})
        text += fmt::format("  <key id=\"{0}\" for=\"node\" attr.name=\"{0}\" "
                            "attr.type=\"string\" />\n", key);
    text += "  <key id=\"subsystem\" for=\"edge\" attr.name=\"subsystem\" attr.type=\"string\" />\n"
            "  <graph id=\"G\" edgedefault=\"directed\">\n";
    for (VertexId vertex = 0; vertex < graph.vertex_count(); ++vertex) {
        const Vertex& what = graph[vertex];
        text += fmt::format("    <node id=\"n{}\">\n", vertex);
        text += data("basename", what.basename) + data("id", std::to_string(what.id)) +
                data("name", what.name) + data("paths", pairs(what.paths)) +
                data("props", pairs(what.properties)) + data("size", std::to_string(what.size)) +
                data("type", what.type) + data("uniq_id", std::to_string(what.uniq_id)) +
                data("unit", what.unit) + "    </node>\n";
    }
    std::size_t number = 0;
    for (VertexId vertex = 0; vertex < graph.vertex_count(); ++vertex)
        for (const auto& edge : graph.out(vertex))
            text += fmt::format("    <edge id=\"e{}\" source=\"n{}\" target=\"n{}\">\n{}    "
                                "</edge>\n",
                                number++, vertex, graph.to(edge),
                                data("subsystem", graph[edge].subsystem));
    return text + "  </graph>\n</graphml>\n";
}

}  // namespace sluice
