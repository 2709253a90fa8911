// RFC 21 - the job state machine. Pure: events change a job, and a job says what must happen next.
//
//   NEW -validate-> DEPEND -depend-> PRIORITY -priority-> SCHED -alloc-> RUN -finish-> CLEANUP
//   SCHED -urgency, jobspec-update, flux-restart-> PRIORITY
//   any but NEW, INACTIVE -exception of severity 0-> CLEANUP -clean-> INACTIVE
//   Between prolog-start and prolog-finish a job in RUN does not start; between epilog-start and
//   epilog-finish a job in CLEANUP keeps its resources.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "base/rfc/eventlog.hpp"
#include "broker/jobs/job.hpp"

namespace sluice {

/// What an event does to the job: apply_event is the only way a job's state changes, live or when a
/// log is replayed. Events that RFC 21 does not name change nothing.
/// Errors: EPROTO for a context that lacks a required key; EINVAL for an event that cannot come in
/// this state. The job is unchanged then.
Result<void> apply_event(Job& job, const Event& event);

enum class JobAction : std::uint8_t {
    post_depend,
    post_priority,
    request_alloc,
    cancel_alloc,
    start,
    free,        // post free, give the resources back
    post_clean,
};

/// What the job needs now, nullopt when it waits. `started`: its queue is started.
std::optional<JobAction> next_action(const Job& job, bool queue_started);

/// Urgency to priority (RFC 30): hold 0, expedite the largest, else the same number.
std::int64_t priority_of(int urgency);


Event make_event(std::string_view name, JsonObject context = {});
struct ExceptionInfo {
    std::string type;
    int severity = 0;
    std::string note;
    UserId userid = userid_unknown;
    std::optional<int> wait_status;
    std::string detail;  // beside a note whose words tools know; may be empty
};
Event exception_event(const ExceptionInfo& info);
/// What each shell of a job says when all of them meet the same fault: it was said before, and the
/// job ends of it already.
bool is_echo(const Job& job, const ExceptionInfo& info);

}  // namespace sluice
