// How fast and how small the scheduler is: matches and whole scheduling cycles per second, and the
// bytes that a node and a vertex cost. Prints a line a measurement; exit code 1 when one is over
// its budget (budgets hold on one slow core with a wide margin).
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "resource/inventory.hpp"
#include "resource/match/matcher.hpp"
#include "sched/sched_core.hpp"
#include "t/resource/builders.hpp"

namespace sluice {
namespace {

constexpr std::uint32_t node_count = 16384, cores_per_node = 64, gpus_per_node = 4;

double seconds_of(auto work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Processor time: what others do on a shared machine is not the matcher's latency.
double cpu_us_of(auto work) {
    const auto now = [] {
        timespec time{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
    };
    const double begin = now();
    work();
    return now() - begin;
}

int over_budget = 0;

/// Prints a rate; it must not be below `budget`.
void rate(const std::string& what, double count, double seconds, double budget) {
    const double per_second = count / seconds;
    fmt::print("{:<58} {:>12.0f} /s (budget {:.0f})\n", what, per_second, budget);
    over_budget += per_second < budget;
}

/// Prints a size; it must not be above `budget`.
void size(const std::string& what, double bytes, double budget) {
    fmt::print("{:<58} {:>12.2f} bytes (budget {:.0f})\n", what, bytes, budget);
    over_budget += bytes > budget;
}

/// Places one request after the other until nothing fits.
double fill(Inventory inventory, const ResourceRequest& request, std::size_t& placed) {
    const MatchShape shape(inventory, request, {}, {});
    placed = 0;
    return seconds_of([&] {
        for (;; ++placed) {
            auto found = shape.match(inventory);
            auto* R = std::get_if<ResourceSet>(&found);
            if (!R || !inventory.allocate(*R)) return;
        }
    });
}

void matcher() {
    const ResourceSet R = test::cluster(node_count, cores_per_node, gpus_per_node);
    Inventory inventory(R);
    inventory.set_up(R.ranks(), true);
    const struct {
        const char* what;
        ResourceRequest request;
        double budget;
    } rows[] = {
        {"match, one core", test::slots(1), 20000},
        {"match, one core and one gpu", test::slots(1, 1, 1), 20000},
        {"match, one whole node", test::whole_nodes(1), 10000},
        {"match, 64 whole nodes", test::whole_nodes(64), 200},
        {"match, 1000 slots of 2 cores anywhere", test::slots(1000, 2), 500},
    };
    for (const auto& row : rows) {
        std::size_t placed = 0;
        const double seconds = fill(inventory, row.request, placed);
        rate(row.what, static_cast<double>(placed), seconds, row.budget);
    }
    const std::size_t vertices = node_count * (1 + cores_per_node + gpus_per_node);
    size("state, a node", static_cast<double>(inventory.state_bytes()) / node_count, 64);
    size("state, a core or gpu", static_cast<double>(inventory.state_bytes()) /
                                     static_cast<double>(vertices), 2);
    fmt::print("{:<58} {:>12}\n", "vertices of the graph, alike subtrees shared",
               inventory.graph().vertex_count());
}

double rss_mb() {
    std::ifstream statm{"/proc/self/statm"};
    std::size_t size = 0, resident = 0;
    statm >> size >> resident;
    return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6;
}

/// Latencies of one kind of job, printed as a row.
struct Latencies {
    std::vector<double> us;
    void row(std::string_view policy, std::string_view what, double budget_us) {
        std::ranges::sort(us);
        const double p99 = us.empty() ? 0 : us[us.size() * 99 / 100];
        fmt::print("{:<12} {:<28} {:>8} {:>9.2f} {:>9.2f} {:>9.2f}\n", policy, what, us.size(),
                   us.empty() ? 0 : us[us.size() / 2], p99, us.empty() ? 0 : us.back());
        over_budget += us.empty() || p99 > budget_us;
    }
};

/// Matches a job from empty to full: each time it is placed the rest of its node is taken too, so
/// that every node is met once.
Latencies fill_up(Inventory inventory, const MatchShape& shape) {
    Latencies latencies;
    for (;;) {
        std::variant<ResourceSet, std::string> found;
        latencies.us.push_back(cpu_us_of([&] { found = shape.match(inventory); }));
        const auto* R = std::get_if<ResourceSet>(&found);
        if (!R || !inventory.allocate(*R)) return latencies;
        const auto& node = R->nodes().front();
        const auto& whole = *inventory.all().find(node.rank);
        ResourceSet rest;
        rest.add({node.rank, node.host, whole.cores - node.cores, whole.gpus - node.gpus});
        (void)inventory.allocate(rest);
    }
}

/// Jobs for one host each while the machine fills up: the match, and making a shape that nobody has
/// asked for before.
std::pair<Latencies, Latencies> by_host(Inventory inventory, MatchOptions options) {
    Latencies matches, shapes;
    const std::size_t nodes = inventory.node_count(), steps = 128;
    for (std::size_t step = 0; step < steps; ++step) {
        const auto only = test::constraint(
            fmt::format(R"({{"hostlist":["n{}"]}})", (step * 7919) % nodes));
        std::optional<MatchShape> shape;
        shapes.us.push_back(
            cpu_us_of([&] { shape.emplace(inventory, test::slots(1), only, options); }));
        matches.us.push_back(cpu_us_of([&] { (void)shape->match(inventory); }));
        for (std::size_t at = step * nodes / steps; at < (step + 1) * nodes / steps; ++at) {
            ResourceSet busy;
            busy.add(inventory.all().nodes()[(at * 101) % nodes]);
            (void)inventory.allocate(busy);
        }
    }
    return {std::move(matches), std::move(shapes)};
}

MatchOptions options_of(std::string_view policy) {
    const JsonObject config{
        {"sched-fluxion-resource", JsonObject{{"match-policy", policy}}}};
    return SchedConfig::from_config(config)->match;
}

/// Load from R and every match policy at machine-room scale.
void scale(std::uint32_t nodes, double load_budget, double mb_budget, double us_budget) {
    ResourceSet made = test::cluster(nodes, cores_per_node, gpus_per_node);
    made.properties["fast"] = Idset::range(nodes / 4, nodes / 2);
    const std::string text = made.to_string();
    made = {};
    const double before = rss_mb();
    std::optional<Inventory> inventory;
    const double seconds = seconds_of([&] {
        const auto R = ResourceSet::parse(text);
        inventory.emplace(*R);
        inventory->set_up(R->ranks(), true);
    });
    const double mb = rss_mb() - before;
    fmt::print("\n{} nodes x {} cores x {} gpus: loaded from R in {:.3f} s (budget {}), {:.0f} MB "
               "(budget {})\n", nodes, cores_per_node, gpus_per_node, seconds, load_budget, mb,
               mb_budget);
    over_budget += seconds > load_budget || mb > mb_budget;
    fmt::print("{:<12} {:<28} {:>8} {:>9} {:>9} {:>9}  (p99 budget {} us)\n", "policy", "job",
               "matches", "p50 us", "p99 us", "max us", us_budget);
    const Constraint fast = test::constraint(R"({"properties":["fast"]})");
    for (const char* policy : {"first", "firstnodex", "low", "high", "lonode", "hinode", "lonodex",
                               "hinodex", "locality", "variation"}) {
        const MatchOptions options = options_of(policy);
        const auto row = [&](const char* what, const ResourceRequest& request,
                             const Constraint& constraint) {
            const MatchShape shape(*inventory, request, constraint, options);
            fill_up(*inventory, shape).row(policy, what, us_budget);
        };
        row("one core", test::slots(1), {});
        row("one node", test::whole_nodes(1), {});
        row("one core, by property", test::slots(1), fast);
        row("one node, by property", test::whole_nodes(1), fast);
        auto [matches, shapes] = by_host(*inventory, options);
        matches.row(policy, "one core, by host", us_budget);
        shapes.row(policy, "  making a shape of that kind", 10 * us_budget);
    }
}

AllocRequest job(std::uint64_t id, ResourceRequest request) {
    AllocRequest alloc;
    alloc.id = JobId{id};
    alloc.priority = 16;
    alloc.t_submit = static_cast<double>(id);
    alloc.request = request;
    alloc.duration = 60;
    return alloc;
}

/// Jobs through submit, alloc and free, as many at a time as fit.
void cycles(QueuePolicy policy, const char* what) {
    constexpr std::uint64_t jobs = 200000;
    SchedConfig config;
    config.defaults.policy = policy;
    SchedCore core(config);
    const ResourceSet R = test::cluster(128, cores_per_node);
    core.define({R, {}, R.ranks()});
    const double seconds = seconds_of([&] {
        for (std::uint64_t id = 1; id <= jobs; ++id) core.submit(job(id, test::slots(1)));
        std::uint64_t done = 0;
        for (double now = 1; done < jobs; ++now) {
            for (Decision& decision : core.pass(now)) {
                const auto* alloc = std::get_if<Alloc>(&decision);
                if (!alloc) continue;
                core.free(alloc->id, alloc->R, true);
                ++done;
            }
        }
    });
    rate(what, jobs, seconds, 20000);
}

/// A pass over a hundred thousand waiting jobs alike that do not fit.
void blocked(QueuePolicy policy, const char* what) {
    SchedConfig config;
    config.defaults.policy = policy;
    SchedCore core(config);
    const ResourceSet R = test::cluster(node_count, cores_per_node);
    core.define({R, {}, R.ranks()});
    core.submit(job(1, test::whole_nodes(node_count)));
    for (std::uint64_t id = 2; id <= 100000; ++id) core.submit(job(id, test::slots(8)));
    core.pass(1);
    const std::uint64_t before = core.match_count();
    constexpr int passes = 1000;
    const double seconds = seconds_of([&] {
        for (int i = 0; i < passes; ++i) core.pass(2);
    });
    rate(what, passes, seconds, policy == QueuePolicy::fcfs ? 10000 : 20);
    fmt::print("{:<58} {:>12}\n", "  matches made in those passes", core.match_count() - before);
}

int run(bool large) {
    if (large) {
        scale(131072, 10, 2000, 2000);
        return over_budget ? 1 : 0;
    }
    scale(16384, 1, 300, 1000);  // first, while nothing else has taken memory
    fmt::print("{} nodes of {} cores and {} gpus\n", node_count, cores_per_node, gpus_per_node);
    matcher();
    cycles(QueuePolicy::fcfs, "jobs submitted, placed and freed, fcfs");
    cycles(QueuePolicy::easy, "jobs submitted, placed and freed, easy");
    blocked(QueuePolicy::fcfs, "passes with 100,000 jobs waiting, fcfs");
    blocked(QueuePolicy::easy, "passes with 100,000 jobs waiting, easy");
    return over_budget ? 1 : 0;
}

}  // namespace
}  // namespace sluice

/// With the word "large": matches on 131,072 nodes only.
int main(int argc, char** argv) {
    return sluice::run(argc > 1 && std::string_view{argv[1]} == "large");
}
