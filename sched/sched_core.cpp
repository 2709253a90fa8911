#include "sched/sched_core.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "sched/reservation.hpp"
#include "sched/summary.hpp"

namespace sluice {
namespace {

/// Waiting jobs of a queue that are told why they wait; the rest learn it when they come nearer.
constexpr std::size_t explained_jobs_max = 16;

JsonObject sched_annotation(std::string_view key, Json value) {
    JsonObject sched;
    sched[key] = std::move(value);
    JsonObject annotations;
    annotations["sched"] = std::move(sched);
    return annotations;
}

}  // namespace

SchedCore::SchedCore(SchedConfig config) : config_(std::move(config)) {}

void SchedCore::define(SchedResources resources) {
    inventory_ = Inventory(resources.R, resources.locality);
    inventory_.set_up(resources.up, true);
    // A job may hold more than the new resources have; what overlaps is counted once.
    for (const auto& [id, R] : running_) (void)inventory_.allocate(R);
    defined_ = true;
    forget_matches();
}

/// What shapes know of the inventory is void.
void SchedCore::forget_matches() {
    for (auto& [key, shape] : shapes_) {
        shape.match.reset();
        shape.known_feasible = false;
    }
    ++epoch_;
}

void SchedCore::set_up(const Idset& ranks, bool up) {
    inventory_.set_up(ranks, up);
    ++epoch_;
}

void SchedCore::configure(SchedConfig config) {
    config_ = std::move(config);
    forget_matches();
}

void SchedCore::hello(RunningJob job) {
    (void)inventory_.allocate(job.R);  // see define()
    running_[job.id] = std::move(job.R);
}

JobShape& SchedCore::shape_of(const AllocRequest& request) {
    const ResourceRequest& r = request.request;
    ShapeKey key{fmt::format("{} {} {} {} {}", r.nodes, r.slots, r.cores_per_slot, r.gpus_per_slot,
                             r.exclusive),
                 request.constraint_text};
    const auto [found, is_new] = shapes_.try_emplace(std::move(key));
    JobShape& shape = found->second;
    if (is_new) {
        shape.request = r;
        shape.constraint = request.constraint;
        shape.key = &found->first;
    }
    return shape;
}

void SchedCore::submit(AllocRequest request) {
    JobShape& shape = shape_of(request);
    const auto [found, is_new] = pending_.try_emplace(request.id);
    if (!is_new) return;
    ++shape.jobs;
    PendingJob& job = found->second;
    job.id = request.id;
    job.priority = request.priority;
    job.t_submit = request.t_submit;
    job.duration = request.duration;
    job.shape = &shape;
    job.queue = &queues_[request.queue];
    job.queue->insert(job);
}

/// Takes a job out of its queue; `job` is gone afterwards.
void SchedCore::leave(PendingJob& job) {
    job.queue->erase(job);
    if (--job.shape->jobs == 0) shapes_.erase(shapes_.find(*job.shape->key));
    pending_.erase(pending_.find(job.id));
}

void SchedCore::cancel(JobId id) {
    const auto found = pending_.find(id);
    if (found == pending_.end()) return;
    leave(found->second);
    decisions_.emplace_back(Cancelled{id});
}

void SchedCore::prioritize(const std::vector<std::pair<JobId, std::uint32_t>>& priorities) {
    for (const auto& [id, priority] : priorities) {
        const auto found = pending_.find(id);
        if (found == pending_.end()) continue;
        found->second.queue->reprioritize(found->second, priority);
    }
}

void SchedCore::free(JobId id, const ResourceSet& R, bool final) {
    const auto found = running_.find(id);
    if (found == running_.end()) return;
    if (final) {
        inventory_.free(found->second);
        running_.erase(found);
    } else {
        inventory_.free(found->second & R);
        ResourceSet rest = found->second - R;
        rest.expiration = found->second.expiration;
        found->second = std::move(rest);
    }
    ++epoch_;
}

void SchedCore::set_expiration(JobId id, double expiration) {
    if (const auto found = running_.find(id); found != running_.end())
        found->second.expiration = expiration;
}

double SchedCore::end_of(double duration) const {
    const double end = duration > 0 ? now_ + duration : 0;
    if (instance_expiration_ <= 0) return end;
    return end > 0 ? std::min(end, instance_expiration_) : instance_expiration_;
}

const MatchShape& SchedCore::matcher(JobShape& shape) {
    if (!shape.match)
        shape.match = std::make_unique<MatchShape>(inventory_, shape.request, shape.constraint,
                                                   config_.match);
    return *shape.match;
}

/// Resources for a job of the shape now, unless it is known that there are none.
std::optional<ResourceSet> SchedCore::match_now(JobShape& shape) {
    if (shape.blocked_epoch == epoch_) return std::nullopt;
    ++match_count_;
    auto found = matcher(shape).match(inventory_);
    if (auto* R = std::get_if<ResourceSet>(&found)) return std::move(*R);
    shape.blocked_epoch = epoch_;
    shape.missing = std::move(std::get<std::string>(found));
    return std::nullopt;
}

SchedCore::Outcome SchedCore::try_start(PendingJob& job) {
    if (auto R = match_now(*job.shape)) {
        start(job, std::move(*R));
        return Outcome::started;
    }
    if (job.shape->known_feasible) return Outcome::blocked;
    if (auto feasible = matcher(*job.shape).feasible(inventory_); !feasible) {
        decisions_.emplace_back(Deny{job.id, feasible.error().text()});
        leave(job);
        return Outcome::denied;
    }
    job.shape->known_feasible = true;
    return Outcome::blocked;
}

/// Gives R to the job, which leaves its queue.
void SchedCore::start(PendingJob& job, ResourceSet R) {
    const auto fresh = inventory_.allocate(R);
    SLUICE_ASSERT(fresh.has_value());
    if (shadow_) (void)shadow_->allocate(R);  // may lie in a reservation that begins later
    R.starttime = now_;
    R.expiration = end_of(job.duration);
    JsonObject sched;
    sched["resource_summary"] = resource_summary(R);
    if (!job.reason.empty()) sched["reason_pending"] = nullptr;
    if (job.t_estimate > 0) sched["t_estimate"] = nullptr;
    JsonObject annotations;
    annotations["sched"] = std::move(sched);
    const JobId id = job.id;
    leave(job);
    running_[id] = R;
    decisions_.emplace_back(Alloc{id, std::move(R), std::move(annotations)});
}

/// The queue whose head comes first of those that are not blocked.
JobQueue* SchedCore::next_queue() {
    JobQueue* first = nullptr;
    for (auto& [name, queue] : queues_) {
        if (queue.blocked || !queue.head()) continue;
        if (!first || JobQueue::Before{}(queue.head(), first->head())) first = &queue;
    }
    return first;
}

std::vector<Decision> SchedCore::pass(double now) {
    now_ = now;
    if (defined_) {
        ++pass_;
        for (auto& [name, queue] : queues_) queue.blocked = false;
        while (JobQueue* queue = next_queue())
            queue->blocked = try_start(*queue->head()) == Outcome::blocked;
        for (auto& [name, queue] : queues_) {
            if (!queue.blocked) continue;
            policy(config_.policy_for(name)).behind_blocked_head(*this, queue, config_.queue_depth);
            explain(queue);
        }
        shadow_.reset();
    }
    return std::exchange(decisions_, {});
}

bool SchedCore::reserve(PendingJob& job) {
    std::vector<RunningSpan> running;
    for (const auto& [id, R] : running_)
        if (R.expiration > 0) running.push_back({R.expiration, &R});
    auto found = earliest_start(matcher(*job.shape), inventory_, std::move(running), now_);
    const double at = found ? found->at : 0;
    if (at != job.t_estimate) {
        job.t_estimate = at;
        decisions_.emplace_back(
            Annotate{job.id, sched_annotation("t_estimate", found ? Json(at) : Json(nullptr))});
    }
    if (!found) return false;
    reserved_from_ = shadow_ ? std::min(reserved_from_, found->at) : found->at;
    if (!shadow_) shadow_ = inventory_;
    (void)shadow_->allocate(found->R);  // most of it is in use now; the rest is kept
    return true;
}

bool SchedCore::try_backfill(PendingJob& job) {
    if (!shadow_ || (job.duration > 0 && now_ + job.duration <= reserved_from_))
        return try_start(job) != Outcome::blocked;
    JobShape& shape = *job.shape;
    if (shape.blocked_epoch == epoch_ || shape.shadow_blocked_pass == pass_) return false;
    ++match_count_;
    auto found = matcher(shape).match(*shadow_);
    if (auto* R = std::get_if<ResourceSet>(&found)) {
        start(job, std::move(*R));
        return true;
    }
    shape.shadow_blocked_pass = pass_;
    return false;
}

void SchedCore::give_reason(PendingJob& job, std::string reason) {
    if (job.reason == reason) return;
    decisions_.emplace_back(Annotate{job.id, sched_annotation("reason_pending", Json(reason))});
    job.reason = std::move(reason);
}

void SchedCore::explain(JobQueue& queue) {
    std::size_t explained = 0;
    for (PendingJob* job : queue.jobs()) {
        if (job->priority == 0 || explained++ == explained_jobs_max) return;
        if (job->shape->blocked_epoch == epoch_)
            give_reason(*job, "resources: " + job->shape->missing);
        else
            give_reason(*job, "priority: other jobs come first");
    }
}

Result<void> SchedCore::check_feasible(const AllocRequest& request) const {
    if (!defined_) return {};
    return MatchShape(inventory_, request.request, request.constraint, config_.match)
        .feasible(inventory_);
}

SchedStatus SchedCore::status() const {
    return {inventory_.all(), inventory_.down(), inventory_.allocated()};
}

}  // namespace sluice
