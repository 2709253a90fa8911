// A scheduler core with jobs named by numbers, for tests.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sched/sched_core.hpp"
#include "t/resource/builders.hpp"

namespace sluice::test {

using Strings = std::vector<std::string>;

struct Ask {
    std::uint32_t priority = 16;
    double duration = 0;
    std::string queue = {};
    std::string constraint = {};
};

/// Jobs named by numbers; what was decided comes back as words: "start 1", "deny 2", "cancelled 3".
class SchedFixture {
  public:
    explicit SchedFixture(const ResourceSet& R, SchedConfig config = {}) : core(std::move(config)) {
        core.define({R, {}, R.ranks()});
    }
    void submit(std::uint64_t id, ResourceRequest request, Ask ask = {}) {
        AllocRequest alloc;
        alloc.id = JobId{id};
        alloc.priority = ask.priority;
        alloc.t_submit = static_cast<double>(id);
        alloc.request = request;
        alloc.duration = ask.duration;
        alloc.queue = ask.queue;
        alloc.constraint_text = ask.constraint;
        if (!ask.constraint.empty()) alloc.constraint = constraint(ask.constraint);
        core.submit(std::move(alloc));
    }
    Strings pass() {
        Strings words;
        last = core.pass(now);
        for (const Decision& decision : last) {
            if (const auto* alloc = std::get_if<Alloc>(&decision)) {
                words.push_back(fmt::format("start {}", alloc->id));
                held[alloc->id] = alloc->R;
            } else if (const auto* deny = std::get_if<Deny>(&decision)) {
                words.push_back(fmt::format("deny {}", deny->id));
            } else if (const auto* cancelled = std::get_if<Cancelled>(&decision)) {
                words.push_back(fmt::format("cancelled {}", cancelled->id));
            }
        }
        return words;
    }
    void finish(std::uint64_t id) {
        core.free(JobId{id}, held.at(JobId{id}), true);
        held.erase(JobId{id});
    }
    /// The annotation of the last pass for a job, as JSON text, or "".
    std::string annotation(std::uint64_t id) const {
        for (const Decision& decision : last)
            if (const auto* annotate = std::get_if<Annotate>(&decision))
                if (annotate->id == JobId{id}) return dump_json(annotate->annotations);
        return {};
    }

    SchedCore core;
    double now = 1000;
    std::vector<Decision> last;
    std::map<JobId, ResourceSet> held;
};

}  // namespace sluice::test
