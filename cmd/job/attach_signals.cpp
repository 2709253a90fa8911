#include "cmd/job/attach_signals.hpp"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>

#include "base/rfc/fluid.hpp"

namespace sluice {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds second_key_within{2};

}  // namespace

class AttachSignals::State : public std::enable_shared_from_this<State> {
  public:
    State(Handle& flux, JobId id, std::function<void()> on_detach)
        : flux_(flux), id_(id), on_detach_(std::move(on_detach)), signals_(flux.io()) {
        for (const int signum : {SIGINT, SIGTSTP, SIGTERM, SIGHUP, SIGALRM, SIGUSR1, SIGUSR2})
            signals_.add(signum);
    }

    void wait() {
        signals_.async_wait(
            [weak = weak_from_this()](const boost::system::error_code& error, int signum) {
                const auto self = weak.lock();
                if (error || !self) return;
                self->handle(signum);
                self->wait();
            });
    }

  private:
    void handle(int signum) {
        const bool after_interrupt = Clock::now() - interrupted_ < second_key_within;
        if (signum == SIGTSTP) {
            if (after_interrupt) return detach();
            ::raise(SIGSTOP);
        } else if (signum != SIGINT) {
            kill(signum);
        } else if (after_interrupt) {
            cancel();
        } else {
            interrupted_ = Clock::now();
            fmt::print(stderr,
                       "flux-job: one more ctrl-C within 2s to cancel or ctrl-Z to detach\n");
        }
    }

    void detach() {
        fmt::print(stderr, "flux-job: detaching...\n");
        on_detach_();
    }

    void cancel() {
        JsonObject payload;
        payload["id"] = id_.value;
        payload["severity"] = 0;
        payload["type"] = "cancel";
        payload["note"] = "interrupted by ctrl-C";
        flux_.send("job-manager.raise", payload, {}, [](const Reply& reply) {
            if (!reply.ok())
                fmt::print(stderr, "flux-job: error canceling job: {}\n", reply.error().text());
        });
    }

    void kill(int signum) {
        JsonObject payload;
        payload["id"] = id_.value;
        payload["signum"] = signum;
        flux_.send("job-manager.kill", payload, {}, [id = id_](const Reply& reply) {
            if (!reply.ok())
                fmt::print(stderr, "flux-job: kill {}: {}\n", to_f58(id), reply.error().text());
        });
    }

    Handle& flux_;
    JobId id_;
    std::function<void()> on_detach_;
    boost::asio::signal_set signals_;
    Clock::time_point interrupted_{};
};

AttachSignals::AttachSignals(Handle& flux, JobId id, std::function<void()> on_detach)
    : state_(std::make_shared<State>(flux, id, std::move(on_detach))) {
    state_->wait();
}

AttachSignals::~AttachSignals() = default;

}  // namespace sluice
