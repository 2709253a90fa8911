#include "broker/jobs/perilog_fsm.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>

#include <fmt/format.h>

namespace sluice {
namespace {

/// How a shell tells that it could not start a program.
int status_of(int errnum) {
    if (errnum == ENOENT) return 127 << 8;
    if (errnum == EPERM || errnum == EACCES) return 126 << 8;
    return 1 << 8;
}

std::string cause_of(int status) {
    const int code = (status >> 8) & 0xff, signum = status & 0x7f;
    if (signum != 0) return fmt::format("killed by signal {}", signum);
    if (code > 128) return fmt::format("killed by signal {}", code - 128);  // as a shell says it
    return fmt::format("exited with code={}", code);
}

}  // namespace

std::string_view perilog_name(PerilogKind kind) {
    return kind == PerilogKind::prolog ? "prolog" : "epilog";
}

PerilogFsm::PerilogFsm(PerilogConfig config, const Idset& ranks)
    : config_(std::move(config)), active_(ranks), total_(ranks.size()) {}

std::string_view PerilogFsm::state() const {
    return canceled_ ? "canceled" : timed_out_ ? "timeout" : "running";
}

void PerilogFsm::on_launch(double now) {
    launched_ = true;
    if (config_.timeout > 0) deadline_ = now + config_.timeout;
}

PerilogActions PerilogFsm::on_exited(std::uint32_t rank, int status) {
    if (!active_.contains(rank)) return {};
    active_.erase(rank);
    worst_ = std::max(worst_, status);
    if (status != 0) failed_.insert(rank);
    if (!active_.empty()) return {};
    deadline_.reset();
    return {done()};
}

PerilogActions PerilogFsm::on_failed(std::uint32_t rank, int errnum) {
    return on_exited(rank, status_of(errnum));
}

PerilogDone PerilogFsm::done() const {
    PerilogDone done{.status = worst_,
                     .failed = canceled_ || timed_out_ || worst_ != 0,
                     .blamed = failed_,
                     .cause = {},
                     .drain = {}};
    // What a cancelled script leaves behind is the canceller's doing.
    if (canceled_ || !done.failed) return done;
    done.cause = timed_out_ ? "timed out" : cause_of(worst_);
    if (config_.per_rank && !failed_.empty()) done.drain = timed_out_ ? "timed out" : "failed";
    return done;
}

PerilogDone PerilogFsm::given_up() const {
    const char* why = canceled_ ? "canceled then timed out" : "timed out";
    return {.status = worst_ ? worst_ : SIGTERM,
            .failed = true,
            .blamed = active_,
            .cause = why,
            .drain = why};
}

PerilogActions PerilogFsm::stop(double now) {
    if (stopping_) return {};
    stopping_ = true;
    deadline_ = now + config_.kill_timeout;
    return {SignalScript{active_, SIGTERM}};
}

PerilogActions PerilogFsm::on_exception(double now) {
    if (!config_.cancel_on_exception || canceled_ || active_.empty()) return {};
    canceled_ = true;
    if (launched_) return stop(now);
    active_ = {};
    worst_ = SIGTERM;
    return {done()};
}

PerilogActions PerilogFsm::on_time(double now) {
    if (!deadline_ || *deadline_ > now) return {};
    if (stopping_) {
        deadline_.reset();
        PerilogDone done = given_up();
        active_ = {};
        return {std::move(done)};
    }
    timed_out_ = true;
    return stop(now);
}

}  // namespace sluice
