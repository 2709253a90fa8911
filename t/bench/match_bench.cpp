// How fast and how small the scheduler is: matches and whole scheduling cycles per second, and the
// bytes that a node and a vertex cost. Prints a line a measurement; exit code 1 when one is over
// its budget (budgets hold on one slow core with a wide margin).
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <string>
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

int run() {
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

int main() { return sluice::run(); }
