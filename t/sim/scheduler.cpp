// The scheduler's core without its thread, in place of sched/service/sched_thread.cpp: what was
// given to it is done a little later, in one pass.
#include "base/rfc/eventlog.hpp"
#include "sched/sched_core.hpp"
#include "sched/service/sched_thread.hpp"
#include "t/sim/host.hpp"

namespace sluice {
namespace {

using sim::world;

}  // namespace

class Sched::Thread::Loop {
  public:
    Loop(Post post, OnDecisions on_decisions, SchedConfig config)
        : host_(sim::current_host()),
          post_(std::move(post)),
          on_decisions_(std::move(on_decisions)),
          core_(std::move(config)) {}
    ~Loop() { *alive_ = false; }

    void give(Event event) {
        events_.push_back(std::move(event));
        if (events_.size() == 1) soon(world().rng.range(5, 500) * sim::microsecond, &Loop::pass);
    }
    void deliver(std::function<void()> deliver) {
        post_([alive = alive_, deliver = std::move(deliver)] {
            if (*alive) deliver();
        });
    }

  private:
    void soon(sim::Time delay, void (Loop::*work)()) {
        host_.post(world().now() + delay, [this, alive = alive_, work] {
            if (*alive) (this->*work)();
        });
    }
    void pass() {
        for (Event& event : std::exchange(events_, {})) event(core_);
        deliver_decisions(core_.pass(wall_clock_now()));
        if (core_.has_idle_work()) soon(20 * sim::millisecond, &Loop::idle);
    }
    void idle() {
        deliver_decisions(core_.idle());
        if (core_.has_idle_work()) soon(20 * sim::millisecond, &Loop::idle);
    }
    void deliver_decisions(std::vector<Decision> decisions) {
        if (decisions.empty()) return;
        deliver([this, decisions = std::move(decisions)]() mutable {
            on_decisions_(std::move(decisions));
        });
    }

    sim::Host& host_;
    const Post post_;
    const OnDecisions on_decisions_;
    SchedCore core_;
    const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
    std::vector<Event> events_;
};

Sched::Thread::Thread(Post post, OnDecisions on_decisions, SchedConfig config)
    : loop_(std::make_unique<Loop>(std::move(post), std::move(on_decisions), std::move(config))) {}
Sched::Thread::~Thread() = default;
void Sched::Thread::give(Event event) { loop_->give(std::move(event)); }
void Sched::Thread::deliver(std::function<void()> deliver) { loop_->deliver(std::move(deliver)); }

}  // namespace sluice
