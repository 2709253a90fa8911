#include "sched/service/sched.hpp"

#include <gtest/gtest.h>

#include "base/aio/thread_port.hpp"
#include "t/resource/builders.hpp"

namespace sluice {
namespace {

/// Stands in for the reactor: runs what the scheduler thread posts, on this thread.
class Reactor {
  public:
    Sched::Post post() {
        return [this](std::function<void()> work) { port_.push(std::move(work)); };
    }
    /// Runs posted work until `done()`.
    void run_until(const std::function<bool()>& done) {
        while (!done())
            for (auto& work : port_.take_all()) work();
    }

  private:
    ThreadPort<std::function<void()>> port_{1000};
};

TEST(Sched, AnswersOnTheReactorWhatItsThreadDecided) {
    Reactor reactor;
    std::vector<Decision> decisions;
    Sched sched(reactor.post(),
                [&](std::vector<Decision> some) {
                    for (Decision& decision : some) decisions.push_back(std::move(decision));
                },
                {});
    sched.define({test::cluster(2, 4), {}, Idset{0, 1}});
    AllocRequest request;
    request.id = JobId{7};
    request.priority = 16;
    request.request = test::slots(5);
    sched.submit(request);
    reactor.run_until([&] { return !decisions.empty(); });
    ASSERT_TRUE(std::holds_alternative<Alloc>(decisions[0]));
    EXPECT_EQ(std::get<Alloc>(decisions[0]).R.core_count(), 5u);
    EXPECT_GT(std::get<Alloc>(decisions[0]).R.starttime, 1e9);

    std::optional<SchedStatus> status;
    sched.status([&](SchedStatus now) { status = std::move(now); });
    reactor.run_until([&] { return status.has_value(); });
    EXPECT_EQ(status->allocated.core_count(), 5u);
    EXPECT_EQ(status->all.core_count(), 8u);

    std::optional<Result<void>> feasible;
    request.request = test::nodes(3, 3);
    sched.check_feasible(request, [&](Result<void> result) { feasible = std::move(result); });
    reactor.run_until([&] { return feasible.has_value(); });
    EXPECT_FALSE(*feasible);
}

TEST(Sched, CallsNobodyBackOnceDestroyed) {
    Reactor reactor;
    bool called = false;
    {
        Sched sched(reactor.post(), [&](std::vector<Decision>) { called = true; }, {});
        sched.define({test::cluster(1, 1), {}, Idset{0}});
        for (std::uint64_t id = 1; id < 100; ++id) {
            AllocRequest request;
            request.id = JobId{id};
            request.priority = 16;
            sched.submit(request);
        }
    }
    bool last = false;
    reactor.post()([&] { last = true; });
    reactor.run_until([&] { return last; });
    EXPECT_FALSE(called);
}

TEST(ThreadPort, EndsBothSidesWhenClosed) {
    ThreadPort<int> port{2};
    EXPECT_TRUE(port.push(1));
    EXPECT_TRUE(port.push(2));
    EXPECT_EQ(port.take_all(), (std::vector<int>{1, 2}));
    port.close();
    EXPECT_FALSE(port.push(3));
    EXPECT_TRUE(port.take_all().empty());
}

}  // namespace
}  // namespace sluice
