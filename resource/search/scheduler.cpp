#include "resource/search/scheduler.hpp"

#include <algorithm>
#include <cmath>

#include "resource/search/alternatives.hpp"

namespace sluice {
namespace {

/// What every alternative needs at least.
Amounts least_of_any(const std::vector<Amounts>& variants) {
    Amounts least = variants.front();
    for (const Amounts& other : variants)
        for (auto& [type, amount] : least) {
            const auto found = other.find(type);
            amount = std::min(amount, found == other.end() ? 0 : found->second);
        }
    return least;
}

/// Errors: EINVAL for a type that is neither in the graph nor a word of the field.
Result<void> check_types(const TypedGraph& graph, const std::vector<Request>& requests) {
    constexpr std::string_view words[] = {"slot", "xor_slot", "cluster", "rack",        "node",
                                          "core", "socket",   "gpu",     "storage_node", "ssd"};
    for (const Request& request : requests) {
        if (!graph.knows_type(request.type) &&
            std::ranges::find(words, request.type) == std::end(words))
            return fail(EINVAL, "resource type '{}' is not in the graph", request.type);
        SLUICE_CHECK(check_types(graph, request.with));
    }
    return {};
}

}  // namespace

/// One request while it is matched, with what was worked out about it.
struct GraphScheduler::Try {
    std::vector<std::vector<Request>> variants;  // of alternative slots; one if there are none
    std::vector<Amounts> least;                  // by variant
    std::set<std::string, std::less<>> exclusive_types;
    const JobRequest* request = nullptr;
    std::int64_t at = 0, duration = 0;
};

Result<MatchOp> parse_match_op(std::string_view word) {
    constexpr std::pair<std::string_view, MatchOp> ops[] = {
        {"allocate", MatchOp::allocate},
        {"allocate_orelse_reserve", MatchOp::allocate_orelse_reserve},
        {"allocate_with_satisfiability", MatchOp::allocate_with_satisfiability},
        {"satisfiability", MatchOp::satisfiability},
        {"without_allocating", MatchOp::without_allocating},
        {"without_allocating_future", MatchOp::without_allocating_future},
    };
    for (const auto& [name, op] : ops)
        if (name == word) return op;
    return fail(EINVAL, "unknown subcmd {}", word);
}

GraphScheduler::GraphScheduler(std::unique_ptr<TypedGraph> graph, Options options,
                               FilterRules rules)
    : graph_(std::move(graph)), options_(std::move(options)), subsystems_(options_.subsystems),
      ledger_(std::make_unique<Ledger>(*graph_, std::move(rules), dominant())) {
    ledger_->prime();
    Searcher::Options search{options_.policy, {}, options_.flexible};
    for (const std::string& subsystem : subsystems_) search.subsystems.push_back(subsystem);
    searcher_ = std::make_unique<Searcher>(*graph_, *ledger_, std::move(search));
    walked_.resize(graph_->vertex_count());
}

Result<std::unique_ptr<GraphScheduler>> GraphScheduler::make(std::unique_ptr<TypedGraph> graph,
                                                             Options options) {
    if (options.subsystems.empty()) return fail(EINVAL, "no subsystem to match in");
    for (const std::string& subsystem : options.subsystems)
        if (!graph->root(subsystem))
            return fail(ENOTSUP, "the graph has no subsystem {}", subsystem);
    SLUICE_CHECK(graph->check_shape());
    SLUICE_TRY(FilterRules rules, FilterRules::parse(options.prune_filters));
    return std::unique_ptr<GraphScheduler>(
        new GraphScheduler(std::move(graph), std::move(options), std::move(rules)));
}

void GraphScheduler::least_of(std::vector<Request>& requests, Amounts& above,
                              std::set<std::string, std::less<>>& exclusive) const {
    const auto add = [&](const std::string& type, std::uint64_t amount) {
        if (ledger_->rules().counts(type)) above[type] += amount;
    };
    for (Request& request : requests) {
        if (request.exclusive == true) exclusive.insert(request.type);
        request.least.clear();
        Amounts below;
        least_of(request.with, below, exclusive);
        // The least count: a subtree that has it is worth a look.
        add(request.type, request.count.min);
        for (const auto& [type, amount] : below) {
            const std::uint64_t all =
                amount > UINT32_MAX ? UINT64_MAX / 4 : request.count.min * amount;
            if (options_.flexible && request.slot()) {
                const auto [known, is_new] = above.emplace(type, all);
                if (!is_new) known->second = std::min(known->second, all);
            } else {
                above[type] = std::min(above[type] + all, UINT64_MAX / 4);
            }
        }
        if (options_.flexible && request.slot())
            for (auto& [type, amount] : above)
                if (!below.contains(type)) amount = 0;
        if (options_.prune) request.least = std::move(below);
    }
}

bool GraphScheduler::attempt(Try& attempt, SearchTime::Mode mode, std::int64_t at) {
    for (const auto& resources : attempt.variants) {
        attempt.at = at;
        const bool found = searcher_->select(resources, attempt.request->constraint,
                                             {mode, 0, at, attempt.duration});
        preorder_ += searcher_->preorder();
        postorder_ += searcher_->postorder();
        if (found) return true;
    }
    return false;
}

bool GraphScheduler::ever(Try& tried) {
    // After the last job's end everything is free.
    const std::int64_t end = plan_end - tried.duration - 1;
    const bool found = attempt(tried, SearchTime::Mode::satisfiable, end);
    searcher_->clear_marks();
    return found;
}

bool GraphScheduler::later(Try& tried, SearchTime::Mode mode) {
    const Amounts least = options_.prune ? least_of_any(tried.least) : Amounts{};
    auto at = ledger_->next_chance(root(), least, tried.at + 1, tried.duration);
    for (; at; at = ledger_->next_chance(root(), least, *at + 1, tried.duration))
        if (attempt(tried, mode, *at)) return true;
    return false;
}

/// Is the vertex up, and everything that contains it?
bool GraphScheduler::reachable(VertexId vertex) const {
    if (!(*graph_)[vertex].up) return false;
    const auto above = graph_->parent_edge(vertex, dominant());
    return !above || reachable(graph_->from(*above));
}

/// Where nodes are counted: are there enough that are up, and of those that the constraint admits?
bool GraphScheduler::enough_nodes(const Try& tried, MatchOp op) const {
    const auto least = tried.least.front().find("node");
    const std::uint64_t wanted = least == tried.least.front().end() ? 0 : least->second;
    if (!options_.prune) return true;
    const bool any = op == MatchOp::allocate_with_satisfiability;
    std::uint64_t up = 0, found = 0;
    for (const VertexId vertex : graph_->of_type("node")) {
        const bool usable = reachable(vertex);
        up += usable;
        found += (any || usable) && searcher_->admitted(vertex, tried.request->constraint);
        if (up >= wanted && found >= wanted) return true;
    }
    return up >= wanted && found >= wanted;
}

Result<MatchAnswer> GraphScheduler::match(const JobRequest& request, MatchOp op, JobKey job) {
    preorder_ = postorder_ = 0;
    searcher_->clear_error();
    if (request.resources.empty()) return fail(EINVAL, "the jobspec asks for no resources");
    SLUICE_CHECK(check_types(*graph_, request.resources));
    if (request.duration > static_cast<double>(options_.lifetime))
        return fail(EINVAL, "duration {}s is over the {}s that the graph lives", request.duration,
                    options_.lifetime);
    Try tried;
    tried.request = &request;
    tried.duration = request.duration == 0
                         ? options_.lifetime
                         : static_cast<std::int64_t>(std::ceil(request.duration));
    if (options_.policy.node_exclusive) tried.exclusive_types.emplace("node");
    if (options_.flexible) {
        SLUICE_TRY(tried.variants, expand_alternatives(request.resources));
    } else {
        tried.variants.push_back(request.resources);
    }
    for (auto& variant : tried.variants)
        least_of(variant, tried.least.emplace_back(), tried.exclusive_types);
    return answer(tried, op, job);
}

Result<MatchAnswer> GraphScheduler::answer(Try& tried, MatchOp op, JobKey job) {
    using enum MatchOp;
    using Mode = SearchTime::Mode;
    MatchAnswer answer;
    const auto refuse = [&](bool possible) {
        answer.kind = possible ? MatchAnswer::Kind::busy : MatchAnswer::Kind::unsatisfiable;
        answer.message = searcher_->error();
        return answer;
    };
    if (op == satisfiability) {
        if (!ever(tried)) return refuse(false);
        answer.kind = MatchAnswer::Kind::matched;
        return answer;
    }
    const bool dry = op == without_allocating || op == without_allocating_future;
    const bool enough = enough_nodes(tried, op);
    if (!enough) return refuse(op != allocate_with_satisfiability);
    Mode mode = dry ? Mode::dry_run : Mode::allocate;
    bool found = attempt(tried, mode, 0);
    if (!found && (op == allocate_orelse_reserve || op == without_allocating_future)) {
        if (!dry) mode = Mode::reserve;
        found = later(tried, mode);
        if (!found) return refuse(ever(tried));
    }
    if (!found) return refuse(op != allocate_with_satisfiability || ever(tried));
    answer.kind = MatchAnswer::Kind::matched;
    answer.at = tried.at;
    answer.placement = book({job, tried.at, std::min(tried.duration, options_.lifetime), mode, true,
                             tried.exclusive_types, tried.request->queue});
    if (answer.placement.empty())
        return fail(EINVAL, "the request takes nothing: ask for a slot or something exclusive");
    return answer;
}

}  // namespace sluice
