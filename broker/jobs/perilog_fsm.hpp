// One run of a job's prolog or epilog on its ranks (flux-config-job-manager(5), perilog). Pure.
//
//   begun -launch-> running -exited(all)-> Done
//   running -timeout, fatal exception-> stopping (SIGTERM to all) -exited(all)-> Done
//   stopping -kill_timeout-> Done: the ranks where it still runs are given up
//   begun -fatal exception-> Done: it never ran
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/rfc/idset.hpp"
#include "broker/jobs/script_config.hpp"

namespace sluice {

enum class PerilogKind { prolog, epilog };
std::string_view perilog_name(PerilogKind kind);  // "prolog", "epilog"

struct SignalScript {
    Idset ranks;
    int signum;
    friend bool operator==(const SignalScript&, const SignalScript&) = default;
};
/// The last action.
struct PerilogDone {
    int status = 0;        // the worst wait status of all ranks
    bool failed = false;   // also when it was cancelled
    Idset blamed;          // ranks where it failed, or where it still runs
    std::string cause;     // "exited with code=1": why an exception follows; "" when none does
    std::string drain;     // "failed": why the blamed ranks are drained; "" when they are not
    friend bool operator==(const PerilogDone&, const PerilogDone&) = default;
};
using PerilogActions = std::vector<std::variant<SignalScript, PerilogDone>>;

class PerilogFsm {
  public:
    PerilogFsm(PerilogConfig config, const Idset& ranks);

    void on_launch(double now);
    PerilogActions on_exited(std::uint32_t rank, int status);
    /// It could not be started there, or the rank is lost: as a shell would end.
    PerilogActions on_failed(std::uint32_t rank, int errnum);
    /// A fatal exception of the job.
    PerilogActions on_exception(double now);
    PerilogActions on_time(double now);
    std::optional<double> deadline() const { return deadline_; }

    const PerilogConfig& config() const { return config_; }
    const Idset& active() const { return active_; }
    std::size_t total() const { return total_; }
    /// "running", "canceled" or "timeout".
    std::string_view state() const;

  private:
    PerilogActions stop(double now);
    PerilogDone done() const;
    PerilogDone given_up() const;

    PerilogConfig config_;
    Idset active_, failed_;
    std::size_t total_;
    int worst_ = 0;
    bool launched_ = false, stopping_ = false, canceled_ = false, timed_out_ = false;
    std::optional<double> deadline_;
};

}  // namespace sluice
