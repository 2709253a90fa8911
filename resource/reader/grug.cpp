// GRUG: a small recipe graph whose vertices stand for resource types; walking it depth first makes
// the resources, `multi_scale` of the target below each of the source's (MULTIPLY), or ties those
// that other parts of the recipe made into one more subsystem (ASSOCIATE_IN, …_BY_PATH_IN).
#include <charconv>
#include <deque>
#include <map>

#include "resource/reader/reader.hpp"
#include "resource/reader/xml.hpp"

namespace sluice {
namespace {

using Values = std::map<std::string, std::string, std::less<>>;

struct RecipeEdge {
    std::string id, source, target;
    Values values;
};
struct RecipeNode {
    std::string id;
    Values values;
    std::vector<std::size_t> out;  // edges
};
struct Recipe {
    std::vector<RecipeNode> nodes;
    std::vector<RecipeEdge> edges;
    std::map<std::string, std::size_t, std::less<>> index;
};

/// Gathers a recipe from the events of its document.
class RecipeReader {
  public:
    Result<Recipe> read(std::string_view text) {
        XmlEvents events;
        events.start = [this](std::string_view name, const XmlEvents::Attributes& attributes) {
            start(name, attributes);
        };
        events.end = [this](std::string_view name) { end(name); };
        events.text = [this](std::string_view part) {
            if (in_value_) text_ += part;
        };
        SLUICE_CHECK(parse_xml(text, std::move(events)));
        return finish();
    }

  private:
    struct Key {
        std::string name, domain;
        std::optional<std::string> fallback;
    };

    static std::string attribute(const XmlEvents::Attributes& attributes, std::string_view name) {
        const auto found = attributes.find(name);
        return found == attributes.end() ? "" : found->second;
    }

    void start(std::string_view name, const XmlEvents::Attributes& attributes) {
        if (name == "key") {
            key_ = attribute(attributes, "id");
            keys_[key_] = {attribute(attributes, "attr.name"), attribute(attributes, "for"), {}};
        } else if (name == "node") {
            recipe_.nodes.push_back({attribute(attributes, "id"), {}, {}});
            values_ = &recipe_.nodes.back().values;
        } else if (name == "edge") {
            recipe_.edges.push_back({attribute(attributes, "id"), attribute(attributes, "source"),
                                     attribute(attributes, "target"), {}});
            values_ = &recipe_.edges.back().values;
        } else if (name == "data" || name == "default") {
            if (name == "data") key_ = attribute(attributes, "key");
            in_value_ = true;
            text_.clear();
        }
    }

    void end(std::string_view name) {
        if (name == "default") {
            keys_[key_].fallback = text_;
        } else if (name == "data" && values_) {
            const auto key = keys_.find(key_);
            if (key != keys_.end()) (*values_)[key->second.name] = text_;
        } else if (name == "node" || name == "edge") {
            values_ = nullptr;
        }
        if (name == "data" || name == "default") in_value_ = false;
    }

    Result<Recipe> finish() {
        const auto fill = [this](Values& values, std::string_view domain) {
            for (const auto& [id, key] : keys_)
                if (key.fallback && key.domain == domain) values.emplace(key.name, *key.fallback);
        };
        for (std::size_t i = 0; i < recipe_.nodes.size(); ++i) {
            RecipeNode& node = recipe_.nodes[i];
            fill(node.values, "node");
            if (!recipe_.index.emplace(node.id, i).second)
                return fail(EINVAL, "node {} is there twice", node.id);
        }
        for (std::size_t i = 0; i < recipe_.edges.size(); ++i) {
            RecipeEdge& edge = recipe_.edges[i];
            fill(edge.values, "edge");
            for (const std::string& end : {edge.source, edge.target})
                if (!recipe_.index.contains(end))
                    return fail(EINVAL, "edge {}: there is no node {}", edge.id, end);
            recipe_.nodes[recipe_.index.at(edge.source)].out.push_back(i);
        }
        if (recipe_.nodes.empty()) return fail(EINVAL, "the recipe has no node");
        return std::move(recipe_);
    }

    Recipe recipe_;
    std::map<std::string, Key> keys_;
    Values* values_ = nullptr;
    std::string key_, text_;
    bool in_value_ = false;
};

std::string text_of(const Values& values, std::string_view key, std::string_view fallback) {
    const auto found = values.find(key);
    return found == values.end() ? std::string{fallback} : found->second;
}

Result<std::int64_t> number_of(const Values& values, std::string_view key, std::int64_t fallback,
                               std::int64_t least) {
    const auto found = values.find(key);
    if (found == values.end()) return fallback;
    const std::string& text = found->second;
    std::int64_t number = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (code != std::errc{} || end != text.data() + text.size() || number < least ||
        number > INT32_MAX)
        return fail(EINVAL, "{} must be {} to {}, found '{}'", key, least, INT32_MAX, text);
    return number;
}

/// The path without its last `steps` steps; "" if it has no more than that.
std::string_view path_prefix(std::string_view path, std::int64_t steps) {
    for (; steps > 0 && !path.empty(); --steps) path = path.substr(0, path.rfind('/'));
    return path;
}

class Maker {
  public:
    Maker(const Recipe& recipe, TypedGraph& graph)
        : recipe_(recipe), graph_(graph), made_(recipe.nodes.size()),
          state_(recipe.nodes.size(), State::unseen) {}

    Result<void> make() {
        for (std::size_t node = 0; node < recipe_.nodes.size(); ++node)
            if (state_[node] == State::unseen) SLUICE_CHECK(walk(node, 0));
        return {};
    }

  private:
    enum class State : std::uint8_t { unseen, open, done };

    Result<void> walk(std::size_t node, int depth) {
        if (depth > 64) return fail(EINVAL, "the recipe is over 64 levels deep");
        state_[node] = State::open;
        for (const std::size_t index : recipe_.nodes[node].out) {
            const RecipeEdge& edge = recipe_.edges[index];
            const std::size_t target = recipe_.index.at(edge.target);
            if (state_[target] == State::open)
                return fail(ELOOP, "edge {}: {} contains itself", edge.id, edge.target);
            if (state_[target] == State::done) continue;
            if (auto grown = grow(edge, node, target); !grown)
                return grown.error().in(fmt::format("edge {}", edge.id));
            SLUICE_CHECK(walk(target, depth + 1));
        }
        state_[node] = State::done;
        if (!scales_.empty()) scales_.pop_front();
        return {};
    }

    Result<void> grow(const RecipeEdge& edge, std::size_t from, std::size_t to) {
        SLUICE_TRY(const auto is_root, number_of(recipe_.nodes[from].values, "root", 0, 0));
        if (is_root && made_[from].empty()) SLUICE_CHECK(make_root(from));
        const std::string method = text_of(edge.values, "gen_method", "MULTIPLY");
        if (method == "MULTIPLY") return multiply(edge, from, to);
        if (method == "ASSOCIATE_IN") return associate(edge, from, to, false);
        if (method == "ASSOCIATE_BY_PATH_IN") return associate(edge, from, to, true);
        return fail(EINVAL, "unknown generation method {}", method);
    }

    Result<void> make_root(std::size_t node) {
        const std::string subsystem = text_of(recipe_.nodes[node].values, "subsystem", containment);
        if (const auto root = graph_.root(subsystem)) {
            made_[node].push_back(*root);
            return {};
        }
        return make_vertex(node, std::nullopt, 0);
    }

    Result<void> make_vertex(std::size_t node, std::optional<VertexId> parent, std::int64_t id) {
        const Values& values = recipe_.nodes[node].values;
        const std::string_view subsystem =
            graph_.intern(text_of(values, "subsystem", containment));
        SLUICE_TRY(const auto size, number_of(values, "size", 1, 1));
        Vertex vertex;
        vertex.type = graph_.intern(text_of(values, "type", ""));
        if (vertex.type.empty())
            return fail(EINVAL, "node {} has no type", recipe_.nodes[node].id);
        vertex.basename = graph_.intern(text_of(values, "basename", vertex.type));
        vertex.unit = graph_.intern(text_of(values, "unit", ""));
        vertex.size = static_cast<std::uint64_t>(size);
        vertex.id = id;
        vertex.rank = vertex.type == "node" ? next_rank_++ : -1;
        vertex.name = std::string{vertex.basename} + (id == -1 ? "" : std::to_string(id));
        std::string path = "/" + vertex.name;
        if (parent) {
            const auto& paths = graph_[*parent].paths;
            if (const auto above = paths.find(subsystem); above != paths.end())
                path = above->second + path;
        }
        vertex.paths[subsystem] = std::move(path);
        SLUICE_TRY(const VertexId made, graph_.add(std::move(vertex)));
        made_[node].push_back(made);
        return {};
    }

    Result<void> multiply(const RecipeEdge& edge, std::size_t from, std::size_t to) {
        SLUICE_TRY(const auto scale, number_of(edge.values, "multi_scale", 1, 0));
        SLUICE_TRY(auto scope, number_of(edge.values, "id_scope", 0, 0));
        SLUICE_TRY(const auto first, number_of(edge.values, "id_start", 0, -1));
        SLUICE_TRY(const auto stride, number_of(edge.values, "id_stride", 1, 0));
        const std::string subsystem = text_of(edge.values, "e_subsystem", containment);
        scope = std::min(scope, static_cast<std::int64_t>(scales_.size()));
        // Ids count on among the sources that share the ancestor `scope` levels up.
        std::uint64_t sharing = 1;
        for (std::int64_t i = 0; i < scope; ++i) sharing *= static_cast<std::uint64_t>(scales_[i]);
        if (sharing == 0 || sharing > graph_vertices_max) sharing = graph_vertices_max;
        for (std::size_t j = 0; j < made_[from].size(); ++j)
            for (std::int64_t i = 0; i < scale; ++i) {
                const std::int64_t id =
                    scope == 0
                        ? first + i
                        : first + (static_cast<std::int64_t>(j % sharing) * scale + i) * stride;
                SLUICE_CHECK(make_vertex(to, made_[from][j], id));
                SLUICE_CHECK(graph_.connect(made_[from][j], made_[to].back(), subsystem));
            }
        scales_.push_front(scale);
        return {};
    }

    Result<void> associate(const RecipeEdge& edge, std::size_t from, std::size_t to, bool by_path) {
        const std::string subsystem = text_of(edge.values, "e_subsystem", containment);
        const std::string in = text_of(edge.values, "as_tgt_subsystem", containment);
        SLUICE_TRY(const auto up_to, number_of(edge.values, "as_tgt_uplvl", 1, 0));
        SLUICE_TRY(const auto up_from, number_of(edge.values, "as_src_uplvl", 1, 0));
        const auto prefix = [&](VertexId vertex, std::int64_t steps) -> std::string_view {
            const auto& paths = graph_[vertex].paths;
            const auto path = paths.find(in);
            return path == paths.end() ? "" : path_prefix(path->second, steps);
        };
        const std::vector<VertexId> targets =
            graph_.of_type(text_of(recipe_.nodes[to].values, "type", ""));
        for (const VertexId source : made_[from])
            for (const VertexId target : targets) {
                if (by_path && prefix(source, up_from) != prefix(target, up_to)) continue;
                const auto& paths = graph_[source].paths;
                const auto above = paths.find(subsystem);
                graph_.add_path(target, subsystem,
                                (above == paths.end() ? "" : above->second) + "/" +
                                    graph_[target].name);
                const auto connected = graph_.connect(source, target, subsystem);
                if (!connected && connected.error().errnum() != EEXIST) return connected.error();
                made_[to].push_back(target);
            }
        return {};
    }

    const Recipe& recipe_;
    TypedGraph& graph_;
    std::vector<std::vector<VertexId>> made_;  // by recipe node
    std::vector<State> state_;
    std::deque<std::int64_t> scales_;  // of the edges walked, nearest first
    std::int64_t next_rank_ = 0;
};

}  // namespace

Result<void> read_grug(std::string_view text, TypedGraph& to) {
    SLUICE_TRY(const Recipe recipe, RecipeReader{}.read(text));
    return Maker{recipe, to}.make();
}

}  // namespace sluice
