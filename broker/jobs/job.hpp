// A job as rank 0 keeps it: the row that listings show for as long as the job is known, and what is
// needed only until it is inactive (RFC 21 states, RFC 14 attributes).
// Invariant: only apply_event() (job_fsm.hpp) changes what an eventlog tells.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/shared_text.hpp"
#include "base/strong_id.hpp"
#include "sched/types.hpp"

namespace sluice {

enum class JobState : std::uint8_t {  // bits, as in job-list
    new_ = 1, depend = 2, priority = 4, sched = 8, run = 16, cleanup = 32, inactive = 64,
};
namespace job_states {
inline constexpr unsigned pending = 14, running = 48, active = 62, all = 127;
}
enum class JobResult : std::uint8_t {
    none = 0, completed = 1, failed = 2, canceled = 4, timeout = 8,
};

namespace job_flag {
inline constexpr int debug = 2, waitable = 4, novalidate = 8;
}

inline constexpr int urgency_hold = 0, urgency_default = 16, urgency_expedite = 31;
inline constexpr std::int64_t priority_max = 4294967295;

struct JobException {
    std::string type;
    int severity = 0;
    std::string note;
    friend bool operator==(const JobException&, const JobException&) = default;
};

/// Gone when the job is inactive.
struct ActiveJob {
    std::string jobspec;        // as submitted, with the environment; "" once launched
    JsonObject updates;         // dotted path -> value: policy defaults, then jobspec-update events
    std::optional<double> mock_seconds;  // it only pretends to run
    AllocRequest request;       // priority is not kept up to date here
    std::optional<ResourceSet> R;
    bool singleton = false;     // submitted with dependency=singleton
    enum class Alloc : std::uint8_t { none, pending, cancelling } alloc = Alloc::none;
    bool has_resources = false;
    bool exec = false;          // handed to the exec manager, final release not yet seen
    bool exec_done = false;     // final release seen
    bool started = false;       // event start
    bool immutable = false;     // the owner updated a guest's job
    // Descriptions of the prologs and epilogs that have started and not finished.
    std::vector<std::string> prologs, epilogs;
    std::optional<int> exception_status;  // wait_status given by a fatal exception
};

/// What most jobs do not have.
struct JobRare {
    std::optional<JobException> exception;
    std::vector<std::string> dependencies;  // those not met yet
    SharedText project, bank;
};

/// RFC 27 annotations, as JSON text: most jobs have the same few.
class Annotations {
  public:
    Annotations() = default;
    explicit Annotations(const JsonObject& object) { set(object); }
    bool empty() const { return text_.empty(); }
    /// "" without any.
    const std::string& text() const { return text_; }
    JsonObject to_json() const;
    /// null removes a key, objects merge.
    void merge(const JsonObject& update);
    void clear() { text_ = {}; }

  private:
    void set(const JsonObject& object);
    SharedText text_;
};

struct Job {
    JobId id;
    UserId userid;
    JobState state = JobState::new_;
    JobResult result = JobResult::none;
    bool fatal : 1 = false;             // an exception of severity 0 happened
    bool reaped : 1 = false;            // its result was taken by job-manager.wait
    bool had_dependencies : 1 = false;
    std::int16_t urgency = urgency_default;
    std::int16_t flags = 0;
    std::optional<int> waitstatus;
    std::uint32_t ntasks = 0, ncores = 0, nnodes = 0;  // ncores, nnodes: 0 when not known
    std::int64_t priority = -1; // -1: not assigned yet
    double t_submit = 0, t_depend = 0, t_priority = 0, t_sched = 0, t_run = 0, t_cleanup = 0,
           t_inactive = 0;
    double duration = 0, expiration = 0;
    SharedText name, cwd, queue, ranks, nodelist;
    Annotations annotations;
    std::unique_ptr<ActiveJob> active;

    const JobRare& rare() const;
    JobRare& own_rare();

    bool is(unsigned states) const { return static_cast<unsigned>(state) & states; }
    /// A prolog or an epilog runs: nothing starts, and nothing is given back.
    bool in_perilog() const {
        return active && !(active->prologs.empty() && active->epilogs.empty());
    }
    bool inactive() const { return state == JobState::inactive; }
    /// The job ran, and every shell ended with 0.
    bool success() const { return t_run > 0 && waitstatus == 0; }

  private:
    std::unique_ptr<JobRare> rare_;
};
// Of a million finished jobs each byte is a megabyte.
static_assert(sizeof(Job) <= 192);

/// Fills the attributes that the jobspec decides. `updates` are applied already.
void describe(Job& job, const Jobspec& jobspec);
/// Seconds that a job pretends to run (attributes.system.exec.test.run_duration), if it asks for
/// that. Errors: EINVAL.
Result<std::optional<double>> mock_duration(const JsonObject& jobspec);
/// Sets what the allocation decides: ranks, nodelist, nnodes, ncores, expiration.
void describe_allocation(Job& job, const ResourceSet& R);

/// The jobspec text with `updates` (dotted path -> value) written in.
/// Errors: EINVAL when the text is not a JSON object.
Result<JsonObject> updated_jobspec(std::string_view text, const JsonObject& updates);
/// Without attributes.system.environment, as `job.<id>.jobspec` holds it (wire.md 3.3).
void remove_environment(JsonObject& jobspec);

/// The row of a job that is inactive, for the store, and back.
JsonObject row_to_json(const Job& job);
Result<std::unique_ptr<Job>> row_from_json(const JsonObject& row);

}  // namespace sluice
