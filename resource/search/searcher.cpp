#include "resource/search/searcher.hpp"

#include <algorithm>
#include <charconv>

namespace sluice {
namespace {

constexpr std::int64_t met = 1;  // the score of a match, before preferences

bool wants_exclusive(const std::vector<Request>& requests, std::string_view type) {
    return std::ranges::any_of(requests, [&](const Request& request) {
        return request.type == type && request.exclusive == true;
    });
}

/// A node's weight before everything it holds: ids first, ties by the vertex's own number.
std::int64_t node_factor(const Vertex& node) {
    constexpr std::int64_t scale = 10000;
    if (node.id >= plan_end / scale - 2) return plan_end / 2;
    return (node.id + 2) * scale + std::abs(node.uniq_id % scale - 1);
}

std::int64_t performance_class(const Vertex& vertex) {
    constexpr std::int64_t worst = 9999;
    const auto found = vertex.properties.find("perf_class");
    if (found == vertex.properties.end()) return worst;
    std::int64_t value = worst;
    const std::string& text = found->second;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    return code == std::errc{} && value >= 0 && value <= worst ? value : worst;
}

}  // namespace

Searcher::Searcher(const TypedGraph& graph, const Ledger& ledger, Options options)
    : graph_(graph), ledger_(ledger), options_(std::move(options)) {
    resize();
}

void Searcher::resize() {
    marks_.resize(graph_.edge_ids());
    weights_.resize(graph_.edge_ids(), UINT64_MAX);  // untouched: seen first
    seen_.resize(graph_.vertex_count());
    order_.clear();
}

std::string_view Searcher::label(VertexId vertex) const {
    const auto found = labels_.find(vertex);
    return found == labels_.end() ? std::string_view{} : std::string_view{found->second};
}

bool Searcher::select(const std::vector<Request>& resources, const Constraint& constraint,
                      SearchTime time) {
    const auto root = graph_.root(name(0));
    if (!root) return false;
    time_ = time;
    constraint_ = &constraint;
    ++sequence_;
    preorder_ = postorder_ = 0;
    node_score_ = 0;
    labels_.clear();
    const bool exclusive = wants_exclusive(resources, graph_[*root].type);
    bool root_exclusive = exclusive;
    Findings found(options_.subsystems.size());
    if (!visit(*root, resources, true, root_exclusive, found)) return false;
    found.of(0, graph_[*root].type).add({found.score, found.available, true, {}});
    return choose_at_root(*root, resources, found, root_exclusive);
}

bool Searcher::choose_at_root(VertexId root, const Requests& resources, Findings& found,
                              bool exclusive) {
    std::uint64_t needs = 1;
    for (const Request& request : resources) {
        const std::uint64_t count = request.count.largest(found.count(0, request.type));
        if (count == 0) return false;
        found.choose(0, request.type, count, options_.policy.order);
        if (request.type == graph_[root].type) needs = request.count.largest(found.available);
        if (needs == 0) return false;
    }
    for (std::size_t subsystem = 0; subsystem < options_.subsystems.size(); ++subsystem)
        for (const auto& [type, offers] : found.of(subsystem))
            if (offers.count() == 0) return false;
    mark_chosen(found, root);
    root_mark_ = {sequence_, needs, exclusive};
    return true;
}

bool Searcher::has_children_for(VertexId vertex, const Request& slot) const {
    return std::ranges::all_of(slot.with, [&](const Request& part) {
        const auto edges = graph_.out(vertex);
        return std::any_of(edges.begin(), edges.end(), [&](const TypedGraph::EdgeRef& edge) {
            return graph_[graph_.to(edge)].type == part.type;
        });
    });
}

Searcher::Step Searcher::step(VertexId vertex, const Requests& requests, bool pristine) {
    const std::string_view type = graph_[vertex].type;
    const Request *matched = nullptr, *slot = nullptr;
    const Requests* slots = nullptr;
    for (const Request& request : requests) {
        const bool is_slot = request.slot();
        if (request.type != type && !is_slot) continue;
        const bool again = options_.flexible && is_slot ? matched != nullptr : matched || slots;
        if (again) {
            error_ = fmt::format("siblings in the jobspec ask for the same type: {}", type);
            return {};
        }
        if (is_slot) {
            slot = &request;
            slots = &requests;
            continue;
        }
        matched = &request;
        for (const Request& child : request.with)
            if (child.slot()) {
                slot = &child;
                slots = &request.with;
            }
    }
    if (slot) {
        const std::uint64_t count = slot->count.largest(CountRange::unbounded);
        if (options_.flexible) {
            const bool any = std::ranges::any_of(*slots, [&](const Request& one) {
                return one.slot() && has_children_for(vertex, one);
            });
            if (any) return {Kind::slot, slots, count, false};
        } else if (has_children_for(vertex, *slot)) {
            return {Kind::slot, &slot->with, count, false};
        }
    }
    if (matched) return {Kind::resource, &matched->with, 0, false};
    return {pristine ? Kind::above : Kind::none, &requests, 0, pristine};
}

bool Searcher::admitted(VertexId vertex, const Constraint& constraint) const {
    const Vertex& what = graph_[vertex];
    if (constraint.empty() || (what.type != "node" && what.type != "storage_node")) return true;
    std::vector<std::string> properties;
    for (const auto& [property, value] : what.properties) properties.push_back(property);
    return constraint.matches({static_cast<std::uint32_t>(what.rank), what.name, properties});
}

bool Searcher::usable(VertexId vertex, const Request& request, bool exclusive) {
    if (exclusive && request.exclusive == false) {
        error_ = fmt::format("{} is asked for as shared, but lies in what is exclusive",
                             request.type);
        return false;
    }
    if (!exclusive && request.exclusive != true) return true;
    using enum SearchTime::Mode;
    // A job that runs over its time still has what it has.
    if (time_.at == time_.now && (time_.mode == allocate || time_.mode == dry_run) &&
        ledger_.held(vertex))
        return false;
    return !ledger_.visited(vertex, time_.at, time_.duration);
}

bool Searcher::prune(VertexId vertex, std::size_t subsystem, const Requests& requests,
                     bool exclusive) {
    if (time_.mode != SearchTime::Mode::satisfiable && !graph_[vertex].up) return false;
    if (!admitted(vertex, *constraint_)) return false;
    if (ledger_.free(vertex, time_.at, time_.duration) == 0) return false;
    bool any_slot = false, slot_fits = false;
    for (const Request& request : requests) {
        const bool is_slot = request.slot();
        if (request.type != graph_[vertex].type && !is_slot) continue;
        if (!is_slot && !usable(vertex, request, exclusive)) return false;
        const bool fits = subsystem != 0 || request.least.empty() ||
                          ledger_.may_hold(vertex, request.least, time_.at, time_.duration);
        if (is_slot && options_.flexible) {
            any_slot = true;
            slot_fits |= fits;
        } else if (!fits) {
            return false;
        }
    }
    return !any_slot || slot_fits;
}

std::int64_t Searcher::score(VertexId vertex) const {
    const Vertex& what = graph_[vertex];
    if (options_.policy.order == MatchPolicy::Order::variation)
        return met + performance_class(what);
    return met + node_score_ + what.id + 1;
}

bool Searcher::visit(VertexId vertex, const Requests& requests, bool pristine, bool& exclusive,
                     Findings& above) {
    const bool inside = exclusive || wants_exclusive(requests, graph_[vertex].type);
    const Step next = step(vertex, requests, pristine);
    ++preorder_;
    if (next.kind == Kind::none || !prune(vertex, 0, requests, inside)) return false;
    const bool weighs = options_.policy.node_centric && graph_[vertex].type == "node";
    if (weighs) node_score_ = node_factor(graph_[vertex]);
    seen_[vertex] = sequence_;
    Findings found(options_.subsystems.size());
    if (next.kind == Kind::slot) {
        if (options_.flexible)
            find_alternatives(vertex, *next.next, next.slots, next.pristine, found);
        else
            find_slots(vertex, *next.next, next.slots, next.pristine, found);
    } else {
        for (std::size_t subsystem = 0; subsystem < options_.subsystems.size(); ++subsystem)
            explore(vertex, subsystem, *next.next, next.pristine, inside,
                    subsystem == 0 ? Way::down : Way::aside, found);
    }
    exclusive = inside;
    if (weighs) node_score_ = 0;
    if (!finish(vertex, requests, found, above)) return false;
    for (const Request& request : requests)
        if (request.type == graph_[vertex].type && !request.label.empty())
            labels_[vertex] = request.label;
    ++postorder_;
    return true;
}

/// Chooses what the vertex's own request asks for below it, and tells the parent.
bool Searcher::finish(VertexId vertex, const Requests& requests, Findings& found,
                      Findings& above) {
    for (const Request& request : requests) {
        if (request.type != graph_[vertex].type) continue;
        for (const Request& child : request.with) {
            const std::uint64_t count = child.count.largest(found.count(0, child.type));
            if (count == 0) return false;
            // Runs count at the root only; below it the highest id comes first.
            const auto order = options_.policy.order == MatchPolicy::Order::locality
                                   ? MatchPolicy::Order::high
                                   : options_.policy.order;
            found.choose(0, child.type, count, order);
        }
    }
    found.score = score(vertex);
    if (found.decided)
        mark_chosen(found, vertex);
    else
        above.merge(found);
    above.available = ledger_.free(vertex, time_.at, time_.duration);
    above.score = found.score;
    return true;
}

bool Searcher::visit_aside(VertexId vertex, std::size_t subsystem, const Requests& requests,
                           bool pristine, bool& exclusive, Findings&) {
    if (!graph_.root(name(subsystem)) || !prune(vertex, subsystem, requests, exclusive))
        return false;
    Findings beside(options_.subsystems.size());
    if (vertex != graph_.root(name(subsystem)))
        explore(vertex, subsystem, requests, pristine, exclusive, Way::aside, beside);
    return ledger_.free(vertex, time_.at, time_.duration) > 0;
}

bool Searcher::explore_edge(const TypedGraph::EdgeRef& edge, std::size_t subsystem,
                            const Requests& requests, bool pristine, bool exclusive, Way way,
                            Findings& found) {
    const VertexId target = graph_.to(edge);
    if (graph_[edge].subsystem != name(subsystem) || seen_[target] == sequence_) return false;
    bool inside = exclusive;
    const bool good = way == Way::down
                          ? visit(target, requests, pristine, inside, found)
                          : visit_aside(target, subsystem, requests, pristine, inside, found);
    if (!good) return false;
    found.of(subsystem, graph_[target].type)
        .add({found.score,
              found.available,
              false,
              {{edge, found.available, found.available, inside}}});
    return true;
}

bool Searcher::explore(VertexId vertex, std::size_t subsystem, const Requests& requests,
                       bool pristine, bool exclusive, Way way, Findings& found,
                       std::uint64_t shares) {
    if (options_.policy.stop_at_first)
        return explore_until_enough(vertex, subsystem, requests, pristine, exclusive, way, found,
                                    shares);
    bool any = false;
    for (const auto& edge : graph_.out(vertex))
        any |= explore_edge(edge, subsystem, requests, pristine, exclusive, way, found);
    return any;
}

void Searcher::mark_chosen(const Findings& found, VertexId here) {
    for (std::size_t subsystem = 0; subsystem < options_.subsystems.size(); ++subsystem)
        for (const auto& [type, offers] : found.of(subsystem))
            for (std::size_t i = 0; i < offers.chosen(); ++i) {
                if (offers.bundles()[i].is_root) continue;
                for (const Offer& offer : offers.bundles()[i].offers) {
                    marks_[graph_[offer.edge].id] = {sequence_, offer.needs, offer.exclusive};
                    if (subsystem == 0) mark_upward(offer.edge, found, here);
                }
            }
}

/// Levels that the request left out lie between what was chosen and where it was asked for: they
/// are passed through, not taken.
void Searcher::mark_upward(const TypedGraph::EdgeRef& edge, const Findings& found, VertexId here) {
    VertexId above = graph_.from(edge);
    while (above != here) {
        const auto parent = graph_.parent_edge(above, name(0));
        if (!parent) return;
        const Vertex& passed = graph_[above];
        const auto known = found.of(0).find(passed.type);
        if (!marked(graph_[*parent].id) && known != found.of(0).end() && !known->second.decided())
            marks_[graph_[*parent].id] = {sequence_, passed.size, false};
        above = graph_.from(*parent);
    }
}

}  // namespace sluice
