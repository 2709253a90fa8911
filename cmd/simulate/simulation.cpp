#include "cmd/simulate/simulation.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "sched/sched_core.hpp"

namespace sluice {
namespace {

/// Virtual time begins here, since the scheduler's 0 means "not set".
constexpr double epoch = 1e9;

class Run {
  public:
    Run(const Workload& workload, const SimMachine& machine, SchedConfig config,
        Simulation& simulation)
        : workload_(workload), out_(simulation), core_(std::move(config)) {
        out_.results.resize(workload.jobs.size());
        core_.define({machine.R, {}, machine.R.ranks()});
    }

    void play() {
        while (next_arrival_ < workload_.jobs.size() || !ends_.empty()) {
            now_ = next_time();
            while (!ends_.empty() && ends_.begin()->first <= now_) end_first();
            while (next_arrival_ < workload_.jobs.size() &&
                   workload_.jobs[next_arrival_].submit <= now_)
                submit(next_arrival_++);
            ++out_.passes;
            for (Decision& decision : core_.pass(epoch + now_)) {
                if (auto* alloc = std::get_if<Alloc>(&decision)) start(std::move(*alloc));
                else if (auto* deny = std::get_if<Deny>(&decision)) refuse(*deny);
            }
            sample();
        }
    }

  private:
    static std::size_t index_of(JobId id) { return static_cast<std::size_t>(id.value) - 1; }

    double next_time() const {
        double next = never;
        if (!ends_.empty()) next = ends_.begin()->first;
        if (next_arrival_ < workload_.jobs.size())
            next = std::min(next, workload_.jobs[next_arrival_].submit);
        return next;
    }
    void submit(std::size_t index) {
        AllocRequest request = workload_.jobs[index].request;
        request.id = JobId{index + 1};
        request.t_submit = epoch + workload_.jobs[index].submit;
        waiting_.insert(index);
        core_.submit(std::move(request));
    }
    void start(Alloc alloc) {
        const std::size_t index = index_of(alloc.id);
        const SimJob& job = workload_.jobs[index];
        SimResult& result = out_.results[index];
        const double limit = job.request.duration > 0 ? job.request.duration : never;
        result.how = job.runtime > limit ? SimEnd::timeout : SimEnd::completed;
        result.start = now_;
        result.end = now_ + std::min(job.runtime, limit);
        result.ranks = alloc.R.ranks();
        result.cores = alloc.R.core_count();
        result.gpus = alloc.R.gpu_count();
        result.overtook = *waiting_.begin() < index;
        waiting_.erase(index);
        busy_ += result.cores;
        ends_.emplace(result.end, index);
        running_.emplace(index, std::move(alloc.R));
    }
    void end_first() {
        const std::size_t index = ends_.begin()->second;
        ends_.erase(ends_.begin());
        const auto found = running_.find(index);
        core_.free(JobId{index + 1}, found->second, true);
        busy_ -= out_.results[index].cores;
        running_.erase(found);
    }
    void refuse(const Deny& deny) {
        const std::size_t index = index_of(deny.id);
        waiting_.erase(index);
        SimResult& result = out_.results[index];
        result.how = SimEnd::denied;
        result.start = result.end = now_;
        result.note = deny.note;
    }
    void sample() {
        if (busy_ > most_busy_) {
            most_busy_ = busy_;
            out_.busiest_at = now_;
            out_.busiest.assign(running_.begin(), running_.end());
        }
        out_.samples.push_back({now_, busy_, waiting_.size()});
    }

    const Workload& workload_;
    Simulation& out_;
    SchedCore core_;
    double now_ = 0;
    std::size_t next_arrival_ = 0;
    std::set<std::size_t> waiting_;
    std::set<std::pair<double, std::size_t>> ends_;
    std::map<std::size_t, ResourceSet> running_;
    std::uint64_t busy_ = 0, most_busy_ = 0;
};

}  // namespace

std::string_view sim_end_name(SimEnd end) {
    switch (end) {
        case SimEnd::completed: return "completed";
        case SimEnd::timeout: return "timeout";
        case SimEnd::denied: return "denied";
        case SimEnd::never_started: return "never-started";
    }
    return {};
}

Simulation simulate(const Workload& workload, const SimMachine& machine, std::string policy,
                    SchedConfig config) {
    Simulation simulation;
    simulation.policy = std::move(policy);
    config.explain = false;
    Run(workload, machine, std::move(config), simulation).play();
    return simulation;
}

}  // namespace sluice
