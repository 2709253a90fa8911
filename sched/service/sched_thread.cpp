#include "sched/service/sched_thread.hpp"

#include <chrono>
#include <thread>

#include "base/aio/thread_port.hpp"
#include "base/rfc/eventlog.hpp"
#include "sched/sched_core.hpp"

namespace sluice {
namespace {

/// Events that may wait for the scheduler; the reactor waits with the next one.
constexpr std::size_t events_max = 1 << 20;
/// Nothing new for so long: then what can wait is done.
constexpr std::chrono::milliseconds quiet_before_idle_work{20};

}  // namespace

/// What reactor and scheduler thread share: the port. All else belongs to one of them.
class Sched::Thread::Loop {
  public:
    Loop(Post post, OnDecisions on_decisions, SchedConfig config)
        : post_(std::move(post)),
          on_decisions_(std::move(on_decisions)),
          thread_([this, config = std::move(config)]() mutable { run(std::move(config)); }) {}
    ~Loop() {
        *alive_ = false;
        port_.close();  // then thread_ ends, and its destructor waits for that
    }

    void give(Event event) { port_.push(std::move(event)); }

    /// Runs `deliver` on the reactor, unless the Sched has been destroyed by then.
    void deliver(std::function<void()> deliver) {
        post_([alive = alive_, deliver = std::move(deliver)] {
            if (*alive) deliver();
        });
    }

  private:
    void run(SchedConfig config) {
        SchedCore core{std::move(config)};
        for (;;) {
            const bool may_idle = core.has_idle_work();
            std::vector<Event> events =
                may_idle ? port_.take_all_within(quiet_before_idle_work) : port_.take_all();
            if (events.empty()) {
                if (!may_idle) return;  // closed
                deliver_decisions(core.idle());
                continue;
            }
            for (Event& event : events) event(core);
            deliver_decisions(core.pass(wall_clock_now()));
        }
    }

    void deliver_decisions(std::vector<Decision> decisions) {
        if (decisions.empty()) return;
        deliver([this, decisions = std::move(decisions)]() mutable {
            on_decisions_(std::move(decisions));
        });
    }

    const Post post_;
    const OnDecisions on_decisions_;                             // called on the reactor
    const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // read on the reactor
    ThreadPort<Event> port_{events_max};
    std::jthread thread_;  // last: it uses all above
};

Sched::Thread::Thread(Post post, OnDecisions on_decisions, SchedConfig config)
    : loop_(std::make_unique<Loop>(std::move(post), std::move(on_decisions), std::move(config))) {}
Sched::Thread::~Thread() = default;
void Sched::Thread::give(Event event) { loop_->give(std::move(event)); }
void Sched::Thread::deliver(std::function<void()> deliver) { loop_->deliver(std::move(deliver)); }

}  // namespace sluice
