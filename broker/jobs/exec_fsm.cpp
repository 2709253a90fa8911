#include "broker/jobs/exec_fsm.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>

#include "base/rfc/fsd.hpp"

namespace sluice {
namespace {

constexpr int shell_kill_factor = 5;  // rounds of kill_timeout before shells are killed themselves

Event log_event(std::string_view name, JsonObject context = {}) {
    return Event{0, std::string{name}, std::move(context)};
}

Result<double> seconds_of(const JsonObject& table, const char* key, double fallback) {
    const Json* value = table.if_contains(key);
    if (!value) return fallback;
    if (const auto number = as_number(*value); number && *number >= 0) return *number;
    if (value->is_string()) {
        const auto seconds = fsd_parse(std::string_view{value->as_string()});
        if (seconds) return *seconds;
    }
    return fail(EINVAL, "exec.{}: found {}, want a duration such as \"5s\"", key,
                dump_json(*value));
}

Result<int> signal_of(const JsonObject& table, const char* key, int fallback) {
    const Json* value = table.if_contains(key);
    if (!value) return fallback;
    if (const auto number = as_integer(*value); number && *number > 0 && *number < NSIG)
        return static_cast<int>(*number);
    static const std::map<std::string_view, int> names{
        {"SIGHUP", SIGHUP},   {"SIGINT", SIGINT},   {"SIGQUIT", SIGQUIT}, {"SIGKILL", SIGKILL},
        {"SIGUSR1", SIGUSR1}, {"SIGUSR2", SIGUSR2}, {"SIGALRM", SIGALRM}, {"SIGTERM", SIGTERM},
        {"SIGCONT", SIGCONT}, {"SIGABRT", SIGABRT}};
    if (value->is_string()) {
        std::string name{value->as_string()};
        if (!name.starts_with("SIG")) name = "SIG" + name;
        if (const auto found = names.find(name); found != names.end()) return found->second;
    }
    return fail(EINVAL, "exec.{}: found {}, want a signal such as \"SIGTERM\"", key,
                dump_json(*value));
}

}  // namespace

Result<ExecConfig> ExecConfig::from_config(const JsonObject& config) {
    ExecConfig exec;
    const Json* value = config.if_contains("exec");
    if (!value) return exec;
    if (!value->is_object()) return fail(EINVAL, "exec: want a table");
    const JsonObject& table = value->as_object();
    SLUICE_TRY(exec.kill_timeout, seconds_of(table, "kill-timeout", exec.kill_timeout));
    SLUICE_TRY(exec.max_kill_timeout, seconds_of(table, "max-kill-timeout", exec.max_kill_timeout));
    SLUICE_TRY(exec.barrier_timeout, seconds_of(table, "barrier-timeout", exec.barrier_timeout));
    SLUICE_TRY(exec.term_signal, signal_of(table, "term-signal", exec.term_signal));
    SLUICE_TRY(exec.kill_signal, signal_of(table, "kill-signal", exec.kill_signal));
    if (const Json* count = table.if_contains("max-kill-count")) {
        const auto number = as_integer(*count);
        if (!number || *number < 1)
            return fail(EINVAL, "exec.max-kill-count: found {}, want a count of at least 1",
                        dump_json(*count));
        exec.max_kill_count = static_cast<int>(*number);
    }
    return exec;
}

ExecFsm::ExecFsm(std::map<std::uint32_t, std::string> hosts, const ExecConfig& config)
    : hosts_(std::move(hosts)), config_(config) {
    for (const auto& [rank, host] : hosts_) active_.insert(rank);
}

std::uint32_t ExecFsm::shell_rank(std::uint32_t rank) const {
    return static_cast<std::uint32_t>(std::distance(hosts_.begin(), hosts_.find(rank)));
}

std::string ExecFsm::place(std::uint32_t rank) const {
    return fmt::format("{} (rank {})", hosts_.at(rank), rank);
}

ExecActions ExecFsm::on_launch() {
    return {ExecLog{log_event("init")}, ExecLog{log_event("starting")}};
}

ExecActions ExecFsm::on_started(std::uint32_t rank) {
    if (!has(rank) || started_.contains(rank)) return {};
    started_.insert(rank);
    if (started_.size() == hosts_.size()) return {AllStarted{}};
    return {};
}

std::string ExecFsm::lost_text(std::uint32_t rank, int status) const {
    return fmt::format("shell rank {} (on {}): {}", shell_rank(rank), hosts_.at(rank),
                       ::strsignal(status & 0x7f));
}

void ExecFsm::gone(std::uint32_t rank, int status, ExecActions& actions) {
    active_.erase(rank);
    any_exited_ = true;
    status_ = std::max(status_, status);
    if (rank == leader()) {
        JsonObject context{{"rank", rank}, {"wait_status", status}};
        if (!active_.empty()) context["active_ranks"] = active_.to_string();
        actions.push_back(ExecLog{log_event("shell-exit", std::move(context))});
    }
    if (!entered_.empty()) {
        entered_ = Idset{};
        barrier_deadline_.reset();
        actions.push_back(BarrierFail{});
    }
    if (!active_.empty()) return;
    kill_deadline_.reset();
    actions.push_back(ExecLog{log_event("complete", {{"status", status_}})});
    actions.push_back(ExecLog{log_event("done")});
    actions.push_back(Finished{status_});
}

ExecActions ExecFsm::on_exited(std::uint32_t rank, int status) {
    ExecActions actions;
    if (!active_.contains(rank)) return actions;
    const bool multi = hosts_.size() > 1;
    if (multi && !first_barrier_passed_ && !cancelled_ && !any_exited_) {
        actions.push_back(RaiseFatal{"exec", place(rank) + " terminated before first barrier"});
    } else if (multi && !cancelled_ && (status & 0x7f) != 0 && active_.size() > 1) {
        if (rank == leader() || critical_.contains(shell_rank(rank)))
            actions.push_back(RaiseFatal{"exec", lost_text(rank, status)});
        else
            actions.push_back(TellLost{shell_rank(rank), lost_text(rank, status)});
    }
    gone(rank, status, actions);
    return actions;
}

ExecActions ExecFsm::on_failed(std::uint32_t rank, const std::string& text) {
    ExecActions actions;
    if (!active_.contains(rank)) return actions;
    if (!cancelled_)
        actions.push_back(
            RaiseFatal{"exec", fmt::format("job shell exec error on {}: {}", place(rank), text)});
    gone(rank, 127 << 8, actions);
    return actions;
}

ExecActions ExecFsm::on_lost(std::uint32_t rank) {
    ExecActions actions;
    if (!active_.contains(rank)) return actions;
    const std::string note = "node failure on " + place(rank);
    const bool survivable = !cancelled_ && first_barrier_passed_ && rank != leader() &&
                            !critical_.empty() && !critical_.contains(shell_rank(rank));
    if (!survivable && !cancelled_) actions.push_back(RaiseFatal{"exec", note});
    if (rank != leader() && active_.contains(leader()))
        actions.push_back(
            TellLost{shell_rank(rank), fmt::format("node failure on {} (shell rank {})",
                                                   hosts_.at(rank), shell_rank(rank))});
    gone(rank, SIGKILL, actions);
    return actions;
}

ExecActions ExecFsm::on_barrier(std::uint32_t rank, double now) {
    if (any_exited_ || !has(rank)) return {BarrierFail{}};
    if (entered_.empty() && !first_barrier_passed_ && config_.barrier_timeout > 0)
        barrier_deadline_ = now + config_.barrier_timeout;
    entered_.insert(rank);
    if (entered_.size() < hosts_.size()) return {};
    entered_ = Idset{};
    first_barrier_passed_ = true;
    barrier_deadline_.reset();
    return {BarrierGo{}};
}

ExecActions ExecFsm::on_cancel(int signum, double now) {
    if (active_.empty()) return {};
    const int sent = signum ? signum : config_.term_signal;
    // A user's cancel of what ignores SIGALRM; the escalation goes on as it began.
    if (cancelled_) {
        if (sent == signal_sent_) return {};
        signal_sent_ = sent;
        return {SendSignal{active_, sent, false}};
    }
    cancelled_ = true;
    signal_sent_ = sent;
    t_cancel_ = now;
    kill_delay_ = config_.kill_timeout;
    kill_deadline_ = now + kill_delay_;
    ExecActions actions{SendSignal{active_, sent, false}};
    if (!entered_.empty()) {
        // Shells that wait for others would not see the signal before the barrier ends.
        entered_ = Idset{};
        any_exited_ = true;
        barrier_deadline_.reset();
        actions.push_back(BarrierFail{});
    }
    return actions;
}

ExecActions ExecFsm::on_time(double now) {
    ExecActions actions;
    if (barrier_deadline_ && *barrier_deadline_ <= now) {
        barrier_deadline_.reset();
        const Idset missing = active_ - entered_;
        actions.push_back(RaiseFatal{
            "exec", fmt::format("start barrier timeout waiting for {}/{} nodes (rank {})",
                                missing.size(), hosts_.size(), missing.to_string())});
    }
    if (!kill_deadline_ || *kill_deadline_ > now) return actions;
    const bool shell = now >= t_cancel_ + shell_kill_factor * config_.kill_timeout;
    if (shell && ++kill_count_ > config_.max_kill_count) {
        kill_deadline_.reset();
        actions.push_back(Unkillable{active_});
        return actions;
    }
    if (shell) kill_delay_ = std::min(kill_delay_ * 2, config_.max_kill_timeout);
    kill_deadline_ = now + kill_delay_;
    actions.push_back(SendSignal{active_, config_.kill_signal, shell});
    return actions;
}

std::optional<double> ExecFsm::deadline() const {
    if (!barrier_deadline_) return kill_deadline_;
    if (!kill_deadline_) return barrier_deadline_;
    return std::min(*barrier_deadline_, *kill_deadline_);
}

}  // namespace sluice
