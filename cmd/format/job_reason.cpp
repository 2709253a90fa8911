#include "cmd/format/job_reason.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "base/rfc/fsd.hpp"
#include "cmd/format/conversion.hpp"
#include "cmd/format/job_why.hpp"
#include "cmd/options/job_filter.hpp"

namespace sluice {

namespace {

/// A wait status taken apart: a signal other than 0 ended the process.
struct WaitStatus {
    int signal, code;
    explicit WaitStatus(std::int64_t status)
        : signal(static_cast<int>(status & 0x7f)), code(static_cast<int>(status >> 8 & 0xff)) {}
};

std::string signal_text(int number) {
    const char* text = ::sigdescr_np(number);
    return text ? text : fmt::format("Unknown signal {}", number);
}

std::string begin_time_text(double time, double now) {
    const bool seconds = std::fmod(std::floor(time), 60) != 0;
    const bool today = local_time(time, "%F") == local_time(now, "%F");
    return "begin@" + local_time(time, today ? "" : "%b%d-") +
           local_time(time, seconds ? "%H:%M:%S" : "%H:%M");
}

std::string dependency_text(std::string_view dependency, double now) {
    constexpr std::string_view begin = "begin-time=";
    if (!dependency.starts_with(begin)) return std::string(dependency);
    const auto time = numeric(std::string(dependency.substr(begin.size())));
    return time ? begin_time_text(*time, now) : std::string(dependency);
}

std::string exit_reason(std::int64_t wait_status) {
    const WaitStatus status{wait_status};
    if (status.signal) return signal_text(status.signal);
    const int code = status.code;
    if (code > 128) return signal_text(code - 128);
    if (code == 126) return "Command invoked cannot execute";
    if (code == 127) return "command not found";
    if (code == 128) return "Invalid argument to exit";
    return fmt::format("Exit {}", code);
}

std::string sched_info(const JobRow& job) {
    const Json* annotations = job.json.if_contains("annotations");
    const Json* estimate = annotations ? find_path(*annotations, "sched.t_estimate") : nullptr;
    if (const auto time = estimate ? as_number(*estimate) : std::nullopt) {
        const double eta = *time - job.now;
        return eta < 0 ? "eta:now" : "eta:" + fsd_format(eta);
    }
    if (job.has("urgency") && job.integer("urgency") == 0) return "held";
    if (job.has("priority") && job.integer("priority") == 0) return "priority-hold";
    return job.tells_why ? why_short(job) : "";
}

}  // namespace

std::string dependencies_text(const JobRow& job) {
    const Json* list = job.json.if_contains("dependencies");
    if (!list || !list->is_array()) return "";
    std::string text;
    for (const Json& dependency : list->get_array()) {
        if (!dependency.is_string()) continue;
        if (!text.empty()) text += ',';
        text += dependency_text(dependency.get_string(), job.now);
    }
    return text;
}

std::string contextual_info(const JobRow& job) {
    switch (job.integer("state")) {
        case job_state::new_:
            return "";
        case job_state::depend:
            return "depends:" + dependencies_text(job);
        case job_state::priority:
            return "priority-wait";
        case job_state::sched:
            return sched_info(job);
        default:
            return job.text("nodelist");
    }
}

std::optional<std::int64_t> job_returncode(const JobRow& job) {
    if (job.has("state") && job.integer("state") != job_state::inactive) return std::nullopt;
    if (job.has("waitstatus")) {
        const WaitStatus status{job.integer("waitstatus")};
        return status.signal ? -status.signal : status.code;
    }
    if (!job.has("result")) return std::nullopt;
    return job.integer("result") == job_result::canceled ? -128 : 1;
}

double job_runtime(const JobRow& job) {
    const double begin = job.real("t_run");
    if (begin == 0) return 0;
    const double end = job.real("t_cleanup");
    return std::max(0.0, (end > 0 ? end : job.now) - begin);
}

double job_time_remaining(const JobRow& job) {
    const double expiration = job.real("expiration");
    if (job.integer("state") != job_state::run || expiration == 0) return 0;
    return std::max(0.0, expiration - job.now);
}

std::string job_status(const JobRow& job) {
    const std::int64_t state = job.integer("state");
    if (state == job_state::inactive && job.has("result"))
        return std::string(result_name(job.integer("result")));
    return std::string(state_name(state));
}

std::string job_uri(const JobRow& job) {
    const Json* annotations = job.json.if_contains("annotations");
    const Json* uri = annotations ? find_path(*annotations, "user.uri") : nullptr;
    return uri && uri->is_string() ? std::string(uri->get_string()) : "";
}

std::string inactive_reason(const JobRow& job) {
    if (job.integer("state") != job_state::inactive) return "";
    const std::int64_t result = job.integer("result");
    const std::string note = job.text("exception_note");
    if (result == job_result::canceled) return note.empty() ? "Canceled" : "Canceled: " + note;
    if (result == job_result::timeout) return "Timeout";
    const Json* occurred = job.json.if_contains("exception_occurred");
    const bool excepted = occurred && occurred->is_bool() && occurred->get_bool();
    const std::string type = job.text("exception_type");
    const bool has_code = job.has("waitstatus");
    if (result == job_result::failed && excepted && !(type == "exec" && has_code))
        return note.empty() ? "Exception: type=" + type
                            : fmt::format("Exception: type={} note={}", type, note);
    return exit_reason(job.integer("waitstatus"));
}

}  // namespace sluice
