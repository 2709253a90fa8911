// Which jobs a command means: words for states and results, and the constraint (RFC 43) that asks
// job-list for them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/strong_id.hpp"

namespace sluice {

namespace job_state {  // RFC 21, as bits
inline constexpr std::uint32_t new_ = 1, depend = 2, priority = 4, sched = 8, run = 16,
                               cleanup = 32, inactive = 64;
inline constexpr std::uint32_t pending = depend | priority | sched, running = run | cleanup,
                               active = pending | running, all = active | inactive;
}
namespace job_result {
inline constexpr std::uint32_t completed = 1, failed = 2, canceled = 4, timeout = 8;
}

struct StateFilter {
    std::uint32_t states = 0, results = 0;
    friend bool operator==(const StateFilter&, const StateFilter&) = default;
};

/// "pending,running,failed" in any case. Errors: EINVAL "Invalid filter specified: x".
Result<StateFilter> parse_state_filter(std::string_view list);
/// States of active jobs, as `flux cancel --states` takes them.
/// Errors: EINVAL "Invalid state x specified".
Result<std::uint32_t> parse_active_states(std::string_view list);

struct JobFilter {
    StateFilter states{job_state::pending | job_state::running, 0};
    std::optional<UserId> user;        // nullopt: all users
    std::optional<std::string> name;
    std::vector<std::string> queues;
    std::string include;               // ranks or hosts
};

/// {"and":[…]}, empty for a filter that lets everything pass.
JsonObject filter_constraint(const JobFilter& filter);

std::string_view state_name(std::int64_t state);     // "SCHED"; "" for no state
std::string_view state_letter(std::int64_t state);   // "S"
std::string_view result_name(std::int64_t result);   // "COMPLETED"
std::string_view result_abbreviation(std::int64_t result);  // "CD"

}  // namespace sluice
