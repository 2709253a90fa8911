// Random workloads through the whole core, seeded: what must hold after every pass, under every
// policy, whatever happens. SLUICE_SCHED_SEEDS sets how many.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "sched/sched_core.hpp"
#include "t/resource/builders.hpp"

namespace sluice {
namespace {

struct Job {
    AllocRequest request;
    double runtime = 0;
    bool waits = false;
};
struct Held {
    ResourceSet R;
    double end = never;  // as the scheduler knows it
};

/// One run: `calm` without anything that may take a promise back.
class World {
  public:
    World(unsigned seed, QueuePolicy policy, bool calm)
        : random_(seed), calm_(calm), policy_(policy), all_(test::cluster(pick(1, 10), pick(1, 4))),
          switches_(pick(0, 2) == 0 ? all_.node_count() / 2 : 0), config_(config()),
          core_(config_) {
        core_.define({all_, {}, all_.ranks()});
        up_ = all_.ranks();
        double time = 1000;
        for (std::uint64_t id = 1, count = pick(5, 40); id <= count; ++id) {
            time += pick(0, 20);
            Job& job = jobs_[JobId{id}];
            job.request = request(JobId{id}, time);
            job.runtime = runtime(job.request.duration);
            arrivals_.emplace(time, JobId{id});
        }
    }

    void run() {
        while (!arrivals_.empty() || !ends_.empty()) {
            now_ = next_time();
            while (!ends_.empty() && ends_.begin()->first <= now_) finish(ends_.begin()->second);
            while (!arrivals_.empty() && arrivals_.begin()->first <= now_) arrive();
            if (!calm_ && pick(0, 2) == 0) disturb();
            settle();
            if (testing::Test::HasFatalFailure()) return;
            if (ends_.empty() && arrivals_.empty()) heal();
        }
        EXPECT_EQ(core_.pending_count(), 0u);
        EXPECT_EQ(core_.running_count(), 0u);
        EXPECT_EQ(core_.plan().reservation_count(), 0u);
        EXPECT_EQ(core_.inventory().free_count(), core_.inventory().total_count());
    }

  private:
    unsigned pick(unsigned low, unsigned high) {
        return low + static_cast<unsigned>(random_() % (high - low + 1));
    }
    SchedConfig config() {
        SchedConfig config;
        config.defaults.policy = policy_;
        config.defaults.reservation_depth = pick(1, 6);
        if (pick(0, 3) == 0) config.defaults.queue_depth = pick(1, 8);
        config.match.order = pick(0, 1) ? NodeOrder::lowest_first : NodeOrder::highest_first;
        for (std::size_t i = 0; i < switches_; ++i)
            config.topology.push_back(
                {"switch", fmt::format("s{}", i),
                 *Hostlist::parse(fmt::format("n[{}-{}]", 2 * i, 2 * i + 1))});
        return config;
    }
    AllocRequest request(JobId id, double time) {
        AllocRequest request;
        request.id = id;
        request.priority = calm_ ? 16 : pick(14, 18);
        request.t_submit = time;
        const std::uint32_t nodes = pick(1, static_cast<unsigned>(all_.node_count()));
        const auto cores = static_cast<unsigned>(all_.core_count());
        switch (pick(0, 2)) {
            case 0: request.request = test::whole_nodes(nodes); break;
            case 1: request.request = test::slots(pick(1, cores)); break;
            default: request.request = test::nodes(nodes, nodes); break;
        }
        if (switches_ && pick(0, 1)) {
            const std::uint32_t count = pick(1, static_cast<unsigned>(switches_));
            request.group = {"switch", count};
            request.request = test::whole_nodes(count * pick(1, 2));
        }
        request.duration = pick(0, 19) ? pick(1, 60) : 0;
        return request;
    }
    double runtime(double limit) {
        if (limit == 0) return pick(1, 90);
        return pick(0, 1) ? limit : limit * pick(1, 10) / 10;
    }
    double next_time() const {
        double next = never;
        if (!arrivals_.empty()) next = arrivals_.begin()->first;
        if (!ends_.empty()) next = std::min(next, ends_.begin()->first);
        return std::max(next, now_);
    }
    void arrive() {
        Job& job = jobs_.at(arrivals_.begin()->second);
        arrivals_.erase(arrivals_.begin());
        job.waits = true;
        core_.submit(job.request);
    }
    void finish(JobId id) {
        const Held held = std::move(held_.at(id));
        ends_.erase(ends_.begin());
        held_.erase(id);
        if (!calm_ && held.R.node_count() > 1 && pick(0, 1)) {
            const ResourceSet part = held.R.only_ranks(Idset{held.R.nodes()[0].rank});
            core_.free(id, part, false);
            core_.free(id, held.R - part, true);
        } else {
            core_.free(id, held.R, true);
        }
    }
    void disturb() {
        const std::uint32_t rank = all_.nodes()[pick(0, unsigned(all_.node_count()) - 1)].rank;
        switch (pick(0, 3)) {
            case 0: {
                const bool up = !up_.contains(rank);
                up ? up_.insert(rank) : up_.erase(rank);
                core_.set_up(Idset{rank}, up);
                break;
            }
            case 1: core_.cancel(JobId{pick(1, unsigned(jobs_.size()))}); break;
            case 2:
                core_.prioritize({{JobId{pick(1, unsigned(jobs_.size()))}, pick(14, 18)}});
                break;
            default: {
                if (held_.empty()) return;
                auto& [id, held] = *std::next(held_.begin(), pick(0, unsigned(held_.size()) - 1));
                // May end before the job really does: then it holds on past its end.
                held.end = pick(0, 4) ? now_ + pick(1, 60) : never;
                core_.set_expiration(id, held.end == never ? 0 : held.end);
            }
        }
    }
    /// All up again, so that what waits can run.
    void heal() {
        core_.set_up(all_.ranks(), true);
        up_ = all_.ranks();
        settle();
    }

    void settle() {
        for (const Decision& decision : core_.pass(now_))
            std::visit([this](const auto& it) { on(it); }, decision);
        check_reservations();
        check_idle_head();
    }
    void on(const Alloc& alloc) {
        Job& job = jobs_.at(alloc.id);
        ASSERT_TRUE(job.waits);
        job.waits = false;
        ASSERT_TRUE((alloc.R - all_).empty());
        ASSERT_TRUE((alloc.R.ranks() - up_).empty());
        for (const auto& [id, held] : held_) ASSERT_TRUE((held.R & alloc.R).empty());
        const ResourceRequest& wanted = job.request.request;
        ASSERT_TRUE(wanted.exclusive ? alloc.R.node_count() == wanted.nodes
                                     : alloc.R.core_count() == wanted.cores());
        if (const auto& group = job.request.group; group.count) {
            std::map<std::uint32_t, std::uint32_t> nodes_on;
            for (const std::uint32_t rank : alloc.R.ranks()) ++nodes_on[rank / 2];
            ASSERT_EQ(nodes_on.size(), group.count);
            for (const auto& [at, nodes] : nodes_on) ASSERT_EQ(nodes * group.count, wanted.nodes);
        }
        ASSERT_LE(now_, promise(alloc.id));
        for (const auto& [id, other] : jobs_)
            ASSERT_FALSE(policy_ == QueuePolicy::fcfs && calm_ && other.waits &&
                         other.request.t_submit < job.request.t_submit);
        const double limit = job.request.duration > 0 ? job.request.duration : never;
        held_[alloc.id] = {alloc.R, now_ + limit};
        ends_.emplace(now_ + job.runtime, alloc.id);
    }
    void on(const Annotate& news) {
        const Json* at = find_path(news.annotations, "sched.t_estimate");
        if (!at) return;
        if (at->is_null()) {
            ASSERT_FALSE(calm_);
            return;
        }
        const double start = *as_number(*at);
        ASSERT_LE(start, promise(news.id));
        promises_[news.id] = start;
    }
    void on(const Cancelled& cancelled) { jobs_.at(cancelled.id).waits = false; }
    void on(const Deny& deny) { ADD_FAILURE() << deny.note; }

    /// What is kept is kept once, and is free by then, if running jobs keep to their ends.
    void check_reservations() {
        const std::vector<JobId> holders = core_.plan().reservation_holders();
        for (auto at = holders.begin(); at != holders.end(); ++at) {
            const Slot& a = *core_.plan().reservation(*at);
            ASSERT_TRUE(jobs_.at(*at).waits);
            ASSERT_TRUE((a.R.ranks() - up_).empty());
            for (auto other = std::next(at); other != holders.end(); ++other) {
                const Slot& b = *core_.plan().reservation(*other);
                ASSERT_FALSE(a.start < b.end && b.start < a.end && !(a.R & b.R).empty());
            }
            for (const auto& [id, held] : held_)
                ASSERT_FALSE(held.end > now_ && held.end > a.start && !(held.R & a.R).empty());
        }
    }
    /// The start that a job was told last, where that binds.
    double promise(JobId id) const {
        const auto told = promises_.find(id);
        return calm_ && told != promises_.end() ? told->second : never;
    }
    /// The job that comes first never waits for what nobody keeps.
    void check_idle_head() {
        if (core_.plan().reservation_count()) return;
        const Job* head = nullptr;
        for (const auto& [id, job] : jobs_)
            if (job.waits && (!head || before(job.request, head->request))) head = &job;
        if (!head || priorities_changed_) return;
        const NodeGroups groups(config_.topology, core_.inventory());
        const MatchShape shape(core_.inventory(), head->request.request, {}, {},
                               {&groups, head->request.group});
        ASSERT_TRUE(std::holds_alternative<std::string>(shape.match(core_.inventory())));
    }
    static bool before(const AllocRequest& a, const AllocRequest& b) {
        return std::tuple{b.priority, a.t_submit, a.id} < std::tuple{a.priority, b.t_submit, b.id};
    }

    std::mt19937 random_;
    const bool calm_;
    const bool priorities_changed_ = !calm_;
    const QueuePolicy policy_;
    const ResourceSet all_;
    const std::size_t switches_;  // of two nodes; 0: none are known
    SchedConfig config_;
    SchedCore core_;
    Idset up_;
    double now_ = 1000;
    std::map<JobId, Job> jobs_;
    std::map<JobId, Held> held_;
    std::map<JobId, double> promises_;
    std::set<std::pair<double, JobId>> arrivals_, ends_;
};

unsigned seeds() {
    const char* text = std::getenv("SLUICE_SCHED_SEEDS");
    return text ? static_cast<unsigned>(std::atoi(text)) : 500;
}

class SchedProperty : public testing::TestWithParam<QueuePolicy> {};

TEST_P(SchedProperty, KeepsEveryPromiseWhileNothingGoesWrong) {
    for (unsigned seed = 1; seed <= seeds() && !HasFailure(); ++seed) {
        SCOPED_TRACE(seed);
        World(seed, GetParam(), true).run();
    }
}

TEST_P(SchedProperty, GivesNothingTwiceWhateverHappens) {
    for (unsigned seed = 1; seed <= seeds() && !HasFailure(); ++seed) {
        SCOPED_TRACE(seed);
        World(seed, GetParam(), false).run();
    }
}

INSTANTIATE_TEST_SUITE_P(Policies, SchedProperty,
                         testing::Values(QueuePolicy::fcfs, QueuePolicy::easy,
                                         QueuePolicy::conservative, QueuePolicy::hybrid),
                         [](const auto& info) {
                             return std::string{queue_policy_name(info.param)};
                         });

}  // namespace
}  // namespace sluice
