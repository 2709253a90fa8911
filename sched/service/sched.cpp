#include "sched/service/sched.hpp"

#include <chrono>
#include <thread>

#include "base/aio/thread_port.hpp"
#include "sched/sched_core.hpp"

namespace sluice {
namespace {

/// Events that may wait for the scheduler; the reactor waits with the next one.
constexpr std::size_t events_max = 1 << 20;
/// Nothing new for so long: then what can wait is done.
constexpr std::chrono::milliseconds quiet_before_idle_work{20};

double seconds_since_epoch() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration<double>(now).count();
}

}  // namespace

/// What reactor and scheduler thread share: the port. All else belongs to one of them.
class Sched::Thread {
  public:
    using Event = std::function<void(SchedCore&)>;

    Thread(Post post, OnDecisions on_decisions, SchedConfig config)
        : post_(std::move(post)),
          on_decisions_(std::move(on_decisions)),
          thread_([this, config = std::move(config)]() mutable { run(std::move(config)); }) {}
    ~Thread() {
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
            deliver_decisions(core.pass(seconds_since_epoch()));
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

Sched::Sched(Post post, OnDecisions on_decisions, SchedConfig config)
    : thread_(std::make_unique<Thread>(std::move(post), std::move(on_decisions),
                                       std::move(config))) {}
Sched::~Sched() = default;

void Sched::define(SchedResources resources) {
    thread_->give([resources = std::move(resources)](SchedCore& core) mutable {
        core.define(std::move(resources));
    });
}

void Sched::set_ranks_up(Idset ranks) {
    thread_->give([ranks = std::move(ranks)](SchedCore& core) { core.set_up(ranks, true); });
}

void Sched::set_ranks_down(Idset ranks) {
    thread_->give([ranks = std::move(ranks)](SchedCore& core) { core.set_up(ranks, false); });
}

void Sched::configure(SchedConfig config) {
    thread_->give([config = std::move(config)](SchedCore& core) mutable {
        core.configure(std::move(config));
    });
}

void Sched::hello(RunningJob job) {
    thread_->give(
        [job = std::move(job)](SchedCore& core) mutable { core.hello(std::move(job)); });
}

void Sched::submit(AllocRequest request) {
    thread_->give([request = std::move(request)](SchedCore& core) mutable {
        core.submit(std::move(request));
    });
}

void Sched::cancel(JobId id) {
    thread_->give([id](SchedCore& core) { core.cancel(id); });
}

void Sched::prioritize(std::vector<std::pair<JobId, std::uint32_t>> priorities) {
    thread_->give([priorities = std::move(priorities)](SchedCore& core) {
        core.prioritize(priorities);
    });
}

void Sched::free(JobId id, ResourceSet R, bool final) {
    thread_->give([id, R = std::move(R), final](SchedCore& core) { core.free(id, R, final); });
}

void Sched::set_expiration(JobId id, double expiration) {
    thread_->give([id, expiration](SchedCore& core) { core.set_expiration(id, expiration); });
}

void Sched::set_instance_expiration(double expiration) {
    thread_->give([expiration](SchedCore& core) { core.set_instance_expiration(expiration); });
}

void Sched::check_feasible(AllocRequest request, std::function<void(Result<void>)> answer) {
    thread_->give([thread = thread_.get(), request = std::move(request),
                   answer = std::move(answer)](SchedCore& core) {
        thread->deliver([answer, result = core.check_feasible(request)] { answer(result); });
    });
}

void Sched::status(std::function<void(SchedStatus)> answer) {
    thread_->give([thread = thread_.get(), answer = std::move(answer)](SchedCore& core) {
        thread->deliver([answer, status = core.status()] { answer(status); });
    });
}

}  // namespace sluice
