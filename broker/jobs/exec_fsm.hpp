// RFC 32, RFC 50 - the execution of one job, as the exec manager sees it: its shells come up, meet
// at barriers, end or are lost, and are killed when the job is cancelled. Pure.
//
//   launched -started(all)-> running -exited(all)-> Finished
//   cancel: SIGTERM at once, the kill signal to tasks every kill_timeout, from 5 x kill_timeout on
//   to the shells with a doubling delay, at most max_kill_count times; then Unkillable.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/rfc/eventlog.hpp"
#include "base/rfc/idset.hpp"
#include "base/result.hpp"

namespace sluice {

struct ExecConfig {
    double kill_timeout = 5, max_kill_timeout = 300, barrier_timeout = 1800;  // seconds
    int max_kill_count = 8;
    int term_signal = 15, kill_signal = 9;
    /// From the [exec] table. Errors: EINVAL naming the key.
    static Result<ExecConfig> from_config(const JsonObject& config);
};

/// A line for guest.exec.eventlog; the caller sets the time.
struct ExecLog {
    Event event;
    friend bool operator==(const ExecLog&, const ExecLog&) = default;
};
struct AllStarted {
    friend bool operator==(const AllStarted&, const AllStarted&) = default;
};
struct RaiseFatal {
    std::string type, note;
    friend bool operator==(const RaiseFatal&, const RaiseFatal&) = default;
};
/// `signum` to the tasks, or to the shells themselves, on these ranks.
struct SendSignal {
    Idset ranks;
    int signum;
    bool shell;
    friend bool operator==(const SendSignal&, const SendSignal&) = default;
};
/// Tell the leader shell that this shell is gone.
struct TellLost {
    std::uint32_t shell_rank;
    std::string message;
    friend bool operator==(const TellLost&, const TellLost&) = default;
};
struct BarrierGo {
    friend bool operator==(const BarrierGo&, const BarrierGo&) = default;
};
struct BarrierFail {
    friend bool operator==(const BarrierFail&, const BarrierFail&) = default;
};
struct Unkillable {
    Idset ranks;
    friend bool operator==(const Unkillable&, const Unkillable&) = default;
};
/// The last action: all shells are gone.
struct Finished {
    int status;
    friend bool operator==(const Finished&, const Finished&) = default;
};
using ExecAction = std::variant<ExecLog, AllStarted, RaiseFatal, SendSignal, TellLost, BarrierGo,
                                BarrierFail, Unkillable, Finished>;
using ExecActions = std::vector<ExecAction>;

class ExecFsm {
  public:
    /// `hosts`: rank -> host name of the job's shells; the lowest rank is shell 0, the leader.
    ExecFsm(std::map<std::uint32_t, std::string> hosts, const ExecConfig& config);

    ExecActions on_launch();
    ExecActions on_started(std::uint32_t rank);
    ExecActions on_exited(std::uint32_t rank, int status);
    /// The shell could not be started.
    ExecActions on_failed(std::uint32_t rank, const std::string& text);
    /// The broker of this rank is gone.
    ExecActions on_lost(std::uint32_t rank);
    ExecActions on_barrier(std::uint32_t rank, double now);
    /// A fatal exception: end the job. `signum`: SIGALRM for a timeout, else 0 for the usual one.
    ExecActions on_cancel(int signum, double now);
    ExecActions on_time(double now);
    std::optional<double> deadline() const;

    void set_critical(Idset ranks) { critical_ = std::move(ranks); }
    const Idset& active() const { return active_; }
    bool has(std::uint32_t rank) const { return hosts_.contains(rank); }
    std::uint32_t leader() const { return hosts_.begin()->first; }

  private:
    std::uint32_t shell_rank(std::uint32_t rank) const;
    std::string place(std::uint32_t rank) const;
    std::string lost_text(std::uint32_t rank, int status) const;
    void gone(std::uint32_t rank, int status, ExecActions& actions);

    std::map<std::uint32_t, std::string> hosts_;
    ExecConfig config_;
    Idset active_, started_, entered_, critical_;
    int status_ = 0;
    bool cancelled_ = false, first_barrier_passed_ = false, any_exited_ = false;
    std::optional<double> barrier_deadline_;
    // Kill escalation: the next round and when.
    double t_cancel_ = 0, kill_delay_ = 0;
    int kill_count_ = 0, signal_sent_ = 0;
    std::optional<double> kill_deadline_;
};

}  // namespace sluice
