// What a seed stands for: the cluster, the jobs, and the faults that will happen to them.
#pragma once

#include <string>
#include <vector>

#include "t/sim/disk.hpp"
#include "t/sim/world.hpp"

namespace sluice::sim {

struct JobPlan {
    Time when = 0;
    std::uint32_t from = 0;  // rank of the user
    int nodes = 1, cores = 1;
    double seconds = 1, limit = 0;  // limit 0: none
    int status = 0;
    bool stubborn = false;          // ignores all signals that can be ignored
    bool mock = false;
    Time cancel_after = 0;          // 0: not cancelled
};
std::string jobspec_of(const JobPlan& job);
std::string text_of(const JobPlan& job);

struct Fault {
    enum class Kind {
        crash, freeze, cut, slow, break_link, kill_shell, kill_zygote, clock, full_disk,
    } kind = Kind::crash;
    Time when = 0;
    std::uint32_t rank = 0;
    Time span = 0;
    Tear tear = Tear::none;
    double part = 0;
};
std::string text_of(const Fault& fault);

struct Plan {
    std::uint64_t seed = 0;
    std::uint32_t brokers = 4, fanout = 2, quorum = 1;
    int cores = 4;
    std::string policy = "fcfs";
    std::vector<JobPlan> jobs;
    std::vector<Fault> faults;
    Time end_of_faults() const;
};

struct PlanSize {
    std::uint32_t brokers_min = 2, brokers_max = 8;
    int jobs = 20, faults = 6;
};
Plan make_plan(std::uint64_t seed, const PlanSize& size);

}  // namespace sluice::sim
