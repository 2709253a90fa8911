// What a pass costs on 16,384 nodes of 64 cores and 4 GPUs, under each queue policy. Prints
// a table; exit code 1 when a row is over its budget.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <vector>

#include "sched/sched_core.hpp"
#include "t/resource/builders.hpp"

namespace sluice {
namespace {

constexpr std::uint32_t node_count = 16384, cores_per_node = 64, gpus_per_node = 4;
constexpr std::uint64_t backlog = 5000, flood = 10000;

/// Processor time: what others do on a shared machine is not the scheduler's.
double milliseconds_of(auto work) {
    const auto now = [] {
        timespec time{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
    };
    const double begin = now();
    work();
    return now() - begin;
}

int over_budget = 0;

void row(const std::string& what, double milliseconds, double budget) {
    fmt::print("{:<64} {:>9.3f} ms (budget {:g})\n", what, milliseconds, budget);
    over_budget += milliseconds > budget;
}

AllocRequest job(std::uint64_t id, ResourceRequest request, double duration,
                 std::uint32_t priority = 16) {
    AllocRequest alloc;
    alloc.id = JobId{id};
    alloc.priority = priority;
    alloc.t_submit = static_cast<double>(id);
    alloc.request = request;
    alloc.duration = duration;
    return alloc;
}

/// Twenty shapes, from a core to a large part of the machine.
ResourceRequest shape(std::uint64_t n) {
    switch (n % 20) {
        case 0: return test::whole_nodes(8192);
        case 1: return test::whole_nodes(4096);
        case 2: return test::whole_nodes(1000);
        case 3: return test::whole_nodes(128);
        case 4: return test::slots(200000);
        case 5: return test::slots(1000, 8, 1);
        case 6: return test::nodes(2000, 2000, 32);
        case 7: return test::nodes(64, 128, 16, 1);
        default: break;
    }
    const auto size = static_cast<std::uint32_t>(n % 20);
    return size % 2 ? test::whole_nodes(1u << (size - 8)) : test::slots(8u << (size - 8), 2);
}

SchedConfig config_of(QueuePolicy policy) {
    SchedConfig config;
    config.defaults.policy = policy;
    return config;
}

/// A machine with 300 jobs of all sizes, nearly full, and then a backlog of 5,000 that wait.
class Machine {
  public:
    explicit Machine(SchedConfig config) : core(std::move(config)) {
        const ResourceSet R = test::cluster(node_count, cores_per_node, gpus_per_node);
        core.define({R, {}, R.ranks()});
        for (std::uint64_t i = 0; i < 300; ++i)
            submit(i % 3 ? test::whole_nodes(64) : test::slots(2000, 1), 1000.0 + 37.0 * double(i));
        pass();
    }
    void submit(ResourceRequest request, double duration, std::uint32_t priority = 16) {
        core.submit(job(++id, request, duration, priority));
    }
    /// Decides; returns how many jobs started.
    std::size_t pass() {
        std::size_t started = 0;
        for (Decision& decision : core.pass(now))
            if (auto* alloc = std::get_if<Alloc>(&decision)) {
                held.push_back(std::move(*alloc));
                ++started;
            }
        return started;
    }
    void finish_one() {
        const Alloc alloc = std::move(held.front());
        held.erase(held.begin());
        core.free(alloc.id, alloc.R, true);
    }

    SchedCore core;
    double now = 1;
    std::uint64_t id = 0;
    std::vector<Alloc> held;
};

void backlog_of(QueuePolicy policy) {
    Machine machine(config_of(policy));
    for (std::uint64_t i = 0; i < backlog; ++i) machine.submit(shape(i), 600 + double(i % 50) * 60);
    const std::string name{queue_policy_name(policy)};
    std::size_t started = 0;
    row(fmt::format("{}: first pass over {} jobs of 20 shapes", name, backlog),
        milliseconds_of([&] { started = machine.pass(); }), 50);
    std::vector<double> times;
    for (int i = 0; i < 100; ++i) {
        machine.now += 1;
        machine.finish_one();
        times.push_back(milliseconds_of([&] { machine.pass(); }));
    }
    std::ranges::sort(times);
    row(fmt::format("{}: pass after a job ended, median", name), times[50], 50);
    row(fmt::format("{}: pass after a job ended, worst of 100", name), times.back(), 50);
}

/// A job that fits is submitted behind a flood of others; how long until it starts?
void behind_flood(const std::string& what, QueuePolicy policy, std::uint32_t priority,
                  ResourceRequest (*request)(std::uint64_t)) {
    Machine machine(config_of(policy));
    machine.submit(test::whole_nodes(node_count), 600);
    machine.pass();
    for (std::uint64_t i = 0; i < flood; ++i) machine.submit(request(i), 600);
    machine.pass();
    std::vector<double> times;
    for (int i = 0; i < 50; ++i) {
        machine.now += 1;
        machine.submit(test::slots(1), 10, priority);
        std::size_t started = 0;
        times.push_back(milliseconds_of([&] { started = machine.pass(); }));
        if (started != 1) {
            fmt::print("{}: the job that fits did not start\n", what);
            ++over_budget;
        }
    }
    std::ranges::sort(times);
    row(what, times.back(), 2);
}

int run() {
    fmt::print("{} nodes of {} cores and {} gpus\n", node_count, cores_per_node, gpus_per_node);
    for (const QueuePolicy policy : {QueuePolicy::fcfs, QueuePolicy::easy,
                                     QueuePolicy::conservative, QueuePolicy::hybrid})
        backlog_of(policy);
    behind_flood("a job that fits, behind 10,000 blocked ones alike, easy", QueuePolicy::easy, 16,
                 [](std::uint64_t) { return test::whole_nodes(9000); });
    behind_flood("a job that fits, behind 10,000 blocked ones all different, easy",
                 QueuePolicy::easy, 16,
                 [](std::uint64_t i) { return test::whole_nodes(6000 + std::uint32_t(i)); });
    behind_flood("an urgent job that fits, before 10,000 blocked ones, conservative",
                 QueuePolicy::conservative, 31,
                 [](std::uint64_t i) { return test::whole_nodes(6000 + std::uint32_t(i)); });
    behind_flood("a job that fits, behind 10,000 unsatisfiable ones, fcfs", QueuePolicy::easy, 16,
                 [](std::uint64_t i) {
                     return test::whole_nodes(node_count + 1 + std::uint32_t(i));
                 });
    return over_budget ? 1 : 0;
}

}  // namespace
}  // namespace sluice

int main() { return sluice::run(); }
