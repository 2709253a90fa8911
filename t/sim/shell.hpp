// A job's shell on one host, as the broker sees one: it says and does what flux-shell does, and the
// tasks are a span of time (attributes.user.sim of the jobspec). It lives on its own: when its
// broker is gone it notices, and ends.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/rfc/idset.hpp"
#include "base/rfc/message.hpp"
#include "t/sim/host.hpp"

namespace sluice::sim {

class Shell : public std::enable_shared_from_this<Shell> {
  public:
    struct Hooks {
        std::function<void(Message)> send;                // to its broker
        std::function<void()> close;                      // its end of the connection
        std::function<void(int status)> exited;           // seen by the zygote
        std::function<void(Shell&)> launched;             // it knows what it is
    };
    Shell(Host& host, JobId id, int pid, Hooks hooks);

    void receive(const Message& message);
    void kill(int signum);
    /// Its broker is gone.
    void on_lost();

    JobId id() const { return id_; }
    int pid() const { return pid_; }
    /// Connected, and it has not said its last word: it has tasks, or may have.
    bool busy() const { return connected_ && !told_ && !doomed_; }
    /// SIGKILL is on its way.
    void doom() { doomed_ = true; }
    std::uint32_t rank() const { return host_.rank(); }
    const Idset& cores() const { return cores_; }

  private:
    void launch(const JsonObject& job);
    void request(std::string topic, const JsonObject& payload,
                 std::function<void(const Message&)> on_reply);
    void barrier(std::function<void()> then);
    void append(const char* text, std::function<void()> then);
    void run_tasks();
    void finish(int status);
    void die(int status);
    void later(Time delay, void (Shell::*work)(int), int argument);

    Host& host_;
    JobId id_;
    int pid_;
    Hooks hooks_;
    Idset cores_;
    std::int64_t nnodes_ = 1;
    double seconds_ = 0;
    int status_ = 0;
    bool stubborn_ = false, connected_ = true, ending_ = false, told_ = false, alive_ = true,
         doomed_ = false;
    std::unordered_map<Matchtag, std::function<void(const Message&)>> pending_;
    Matchtag next_tag_ = 1;
};

}  // namespace sluice::sim
