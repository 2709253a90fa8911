#include "t/sim/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::sim {
namespace {

constexpr Time busy = 30 * second;  // jobs come and faults happen in this time

JobPlan make_job(Rng& rng, std::uint32_t brokers, int cores) {
    JobPlan job;
    job.when = rng.range(0, busy);
    job.from = static_cast<std::uint32_t>(rng.range(0, brokers - 1));
    job.nodes = rng.chance(0.6) ? 1 : static_cast<int>(rng.range(1, std::min(brokers, 8u)));
    job.cores = static_cast<int>(rng.range(1, cores));
    job.seconds = rng.chance(0.5) ? 0.01 * static_cast<double>(rng.range(0, 100))
                                  : 0.1 * static_cast<double>(rng.range(0, 200));
    if (rng.chance(0.2)) job.limit = 0.1 * static_cast<double>(rng.range(1, 100));
    if (rng.chance(0.1)) job.status = static_cast<int>(rng.range(1, 3)) << 8;
    job.stubborn = rng.chance(0.1);
    job.mock = rng.chance(0.15);
    if (rng.chance(0.2)) job.cancel_after = rng.range(1, 10 * second);
    return job;
}

Fault make_fault(Rng& rng, std::uint32_t brokers) {
    using enum Fault::Kind;
    constexpr Fault::Kind kinds[] = {crash, crash,      crash,       freeze, cut,      cut,
                                     slow,  break_link, kill_shell,  kill_shell,
                                     kill_zygote, clock, full_disk};
    Fault fault;
    fault.kind = kinds[rng.range(0, std::size(kinds) - 1)];
    fault.when = rng.range(0, busy);
    // The lead has a part in everything.
    fault.rank = rng.chance(0.35) ? 0 : static_cast<std::uint32_t>(rng.range(0, brokers - 1));
    fault.span = rng.chance(0.5) ? rng.range(1, 2000) * millisecond : rng.range(1, 30) * second;
    fault.tear = static_cast<Tear>(rng.range(0, 3));
    fault.part = static_cast<double>(rng.range(0, 1000)) / 1000;
    if (fault.kind == clock) fault.span = rng.range(-3600, 3600) * second;
    return fault;
}

constexpr const char* kind_names[] = {"crash", "freeze", "cut", "slow", "break-link", "kill-shell",
                                      "kill-zygote", "clock", "full-disk"};

}  // namespace

Plan make_plan(std::uint64_t seed, const PlanSize& size) {
    Rng rng{seed};
    Plan plan;
    plan.seed = seed;
    plan.brokers = static_cast<std::uint32_t>(rng.range(size.brokers_min, size.brokers_max));
    plan.fanout = static_cast<std::uint32_t>(rng.range(1, 4));
    if (plan.brokers > 64) plan.fanout = 32;
    plan.quorum = rng.chance(0.5) ? plan.brokers : 1;
    plan.cores = static_cast<int>(rng.range(1, 4));
    constexpr const char* policies[] = {"fcfs", "easy", "conservative", "hybrid"};
    plan.policy = policies[rng.range(0, 3)];
    for (int i = 0; i < size.jobs; ++i)
        plan.jobs.push_back(make_job(rng, plan.brokers, plan.cores));
    const auto faults = rng.range(0, size.faults);
    for (int i = 0; i < faults; ++i) plan.faults.push_back(make_fault(rng, plan.brokers));
    const auto by_time = [](const auto& a, const auto& b) { return a.when < b.when; };
    std::ranges::stable_sort(plan.jobs, by_time);
    std::ranges::stable_sort(plan.faults, by_time);
    return plan;
}

std::string jobspec_of(const JobPlan& job) {
    std::string test;
    if (job.mock)
        test = fmt::format(",\"exec\":{{\"test\":{{\"run_duration\":\"{:.3f}s\"}}}}", job.seconds);
    return fmt::format(
        "{{\"version\":1,\"resources\":[{{\"type\":\"node\",\"count\":{},\"with\":[{{\"type\":"
        "\"slot\",\"count\":1,\"label\":\"task\",\"with\":[{{\"type\":\"core\",\"count\":{}}}]}}]}}"
        "],\"tasks\":[{{\"command\":[\"sim\"],\"slot\":\"task\",\"count\":{{\"per_slot\":1}}}}],"
        "\"attributes\":{{\"system\":{{\"duration\":{:.3f}{}}},\"user\":{{\"sim\":{{\"seconds\":"
        "{:.3f},\"status\":{},\"stubborn\":{}}}}}}}}}",
        job.nodes, job.cores, job.limit, test, job.seconds, job.status, job.stubborn);
}

std::string text_of(const JobPlan& job) {
    std::string text = fmt::format("{:10.6f} s: {} of {} x {} cores for {:.3f} s from rank {}",
                                   seconds(job.when), job.mock ? "mock job" : "job", job.nodes,
                                   job.cores, job.seconds, job.from);
    if (job.limit > 0) text += fmt::format(", limit {:.1f} s", job.limit);
    if (job.status) text += fmt::format(", status {}", job.status);
    if (job.stubborn) text += ", stubborn";
    if (job.cancel_after)
        text += fmt::format(", cancelled after {:.6f} s", seconds(job.cancel_after));
    return text;
}

std::string text_of(const Fault& fault) {
    const char* const tears[] = {"", ", unsynced", ", torn WAL", ", whole transaction"};
    return fmt::format("{:10.6f} s: {} rank {}, {:.3f} s{}", seconds(fault.when),
                       kind_names[static_cast<int>(fault.kind)], fault.rank, seconds(fault.span),
                       fault.kind == Fault::Kind::crash && fault.rank == 0
                           ? tears[static_cast<int>(fault.tear)]
                           : "");
}

Time Plan::end_of_faults() const {
    Time end = busy;
    for (const Fault& fault : faults)
        end = std::max(end, fault.when + std::max<Time>(fault.span, 0));
    for (const JobPlan& job : jobs) end = std::max(end, job.when);
    return end + second;
}

}  // namespace sluice::sim
