#include "sched/sched_core.hpp"

#include <algorithm>
#include <cmath>

#include "base/assert.hpp"
#include "sched/reasons.hpp"

namespace sluice {
namespace {

/// Jobs at the front of a queue whose reason follows each pass.
constexpr std::size_t explained_jobs_max = 16;
/// Jobs told in one go while nothing else is to be done.
constexpr std::size_t told_at_once_max = 256;

}  // namespace

SchedCore::SchedCore(SchedConfig config) : config_(std::move(config)) {}

/// Something is free that was to be taken until then.
void SchedCore::gained(double until) {
    ++epoch_;
    gained_until_ = std::max(gained_until_, until);
}

void SchedCore::define(SchedResources resources) {
    plan_.define(resources.R, resources.locality, resources.up);
    defined_ = true;
    forget_matches();
}

/// What shapes know of the inventory is void.
void SchedCore::forget_matches() {
    groups_ = NodeGroups(config_.topology, inventory());
    for (auto& [key, shape] : shapes_) {
        shape.match.reset();
        shape.shortage = {};
        shape.known_feasible = false;
    }
    replan_ = true;
    gained(never);
}

void SchedCore::set_up(const Idset& ranks, bool up) {
    plan_.set_up(ranks, up);
    replan_ = true;
    gained(never);
}

void SchedCore::configure(SchedConfig config) {
    config_ = std::move(config);
    for (auto& [id, job] : pending_) {
        JobQueue& queue = queue_for(job.asked_queue);
        if (&queue == job.queue) continue;
        job.queue->erase(job);
        job.queue = &queue;
        queue.insert(job);
    }
    forget_matches();
}

void SchedCore::hello(RunningJob job) {
    const double end = job.R.expiration > 0 ? job.R.expiration : never;
    (void)plan_.run(job.id, std::move(job.R), end);  // see Plan::define
    replan_ = true;
}

JobShape& SchedCore::shape_of(const AllocRequest& request) {
    const ResourceRequest& r = request.request;
    ShapeKey key{fmt::format("{} {} {} {} {} {} {}", r.nodes, r.slots, r.cores_per_slot,
                             r.gpus_per_slot, r.exclusive, request.group.count,
                             request.group.type),
                 request.constraint_text};
    const auto [found, is_new] = shapes_.try_emplace(std::move(key));
    JobShape& shape = found->second;
    if (is_new) {
        shape.request = r;
        shape.constraint = request.constraint;
        shape.group = request.group;
        shape.key = &found->first;
    }
    return shape;
}

/// The queue in which jobs of the one named are scheduled.
JobQueue& SchedCore::queue_for(const std::string& name) {
    const std::string& queue = config_.scheduled_with(name);
    return queues_.try_emplace(queue, queue).first->second;
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
    job.queue = &queue_for(request.queue);
    job.asked_queue = std::move(request.queue);
    job.queue->insert(job);
    if (config_.explain) untold_.push_back(job.id);
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
    if (const auto slot = plan_.take_reservation(id)) gained(slot->end);
    leave(found->second);
    decisions_.emplace_back(Cancelled{id});
}

void SchedCore::prioritize(const std::vector<std::pair<JobId, std::uint32_t>>& priorities) {
    for (const auto& [id, priority] : priorities) {
        const auto found = pending_.find(id);
        if (found == pending_.end()) continue;
        PendingJob& job = found->second;
        // Others that it passed no longer stand back for it.
        if (priority < job.priority) replan_ = true;
        job.queue->reprioritize(job, priority);
        job.fresh = true;
        }
}

void SchedCore::free(JobId id, const ResourceSet& R, bool final) {
    if (!plan_.held_by(id)) return;
    gained(plan_.end_of(id));
    if (final) plan_.finish(id);
    else plan_.free_part(id, R);
}

void SchedCore::set_expiration(JobId id, double expiration) {
    if (!plan_.held_by(id)) return;
    plan_.set_end(id, expiration > 0 ? expiration : never);
    replan_ = true;
    gained(never);
}

void SchedCore::set_instance_expiration(double expiration) {
    instance_expiration_ = expiration;
    replan_ = true;
}

double SchedCore::duration_of(const PendingJob& job) const {
    const double duration = job.duration > 0 ? job.duration : never;
    if (instance_expiration_ <= 0) return duration;
    return std::min(duration, std::max(0.0, instance_expiration_ - now_));
}

const MatchShape& SchedCore::matcher(JobShape& shape) {
    if (!shape.match) {
        shape.match = std::make_unique<MatchShape>(inventory(), shape.request, shape.constraint,
                                                   config_.match,
                                                   GroupWish{&groups_, shape.group});
        shape.least = least_of(shape.request, shape.request.exclusive || config_.match.whole_nodes);
    }
    return *shape.match;
}

Supply SchedCore::free_supply() const {
    const ResourceCount& free = inventory().free_count();
    return {static_cast<std::int64_t>(free.nodes), static_cast<std::int64_t>(free.cores),
            static_cast<std::int64_t>(free.gpus)};
}

Demand SchedCore::demand_of(PendingJob& job) {
    return {matcher(*job.shape), duration_of(job)};
}

void SchedCore::drop_reservation(JobId id) {
    if (!plan_.take_reservation(id)) return;
    dropped_.push_back(id);
    ++epoch_;
}

/// Before a pass: reservations that rest on what is not so any more.
void SchedCore::drop_void_reservations() {
    dropped_.clear();
    // One that should have begun: what it waits for is held past its end.
    const bool late = plan_.keeps_before(now_);
    if (std::exchange(replan_, false) || late)
        for (const JobId id : plan_.reservation_holders()) drop_reservation(id);
}

/// Reservations of jobs that come after this one make room for it. False if there are none.
bool SchedCore::drop_behind(const PendingJob& job) {
    bool dropped = false;
    for (const JobId id : plan_.reservation_holders()) {
        if (!JobQueue::Before{}(&job, &pending_.at(id))) continue;
        drop_reservation(id);
        dropped = true;
    }
    return dropped;
}

std::vector<Decision> SchedCore::pass(double now) {
    now_ = now;
    if (!defined_) return std::exchange(decisions_, {});
    ++pass_;
    drop_void_reservations();
    improve_before_ = std::exchange(gained_until_, 0);
    std::vector<QueueScan> scans;
    scans.reserve(queues_.size());
    for (auto& [name, queue] : queues_)
        scans.emplace_back(queue, config_.settings_for(name), epoch_);
    for (;;) {  // the job that comes first of all queues' heads
        QueueScan* first = nullptr;
        for (QueueScan& scan : scans)
            if (scan.head() && (!first || JobQueue::Before{}(scan.head(), first->head())))
                first = &scan;
        if (!first) break;
        consider(*first);
    }
    visit_other_holders();
    for (const JobId id : dropped_) {
        const auto found = pending_.find(id);
        if (found != pending_.end() && !plan_.reservation(id))
            tell_estimate(found->second, 0, decisions_);
    }
    if (config_.explain)
        for (auto& [name, queue] : queues_) explain(queue);
    return std::exchange(decisions_, {});
}

/// Holders that no scan came to: a job before them got a reservation late, and with it their turn.
void SchedCore::visit_other_holders() {
    if (improve_before_ <= now_ && !plan_.keeps_before(std::nextafter(now_, never))) return;
    std::vector<PendingJob*> holders;
    for (const JobId id : plan_.reservation_holders())
        if (PendingJob& job = pending_.at(id); job.holder_pass != pass_) holders.push_back(&job);
    std::ranges::sort(holders, JobQueue::Before{});
    for (PendingJob* job : holders) improve(*job);
}

void SchedCore::consider(QueueScan& scan) {
    PendingJob& job = scan.take();
    if (plan_.reservation(job.id)) {
        job.holder_pass = pass_;
        if (!improve(job)) {
            scan.on_reserved();
            scan.on_blocked(QueueScan::Tried::yes);
        }
        return scan.move_on();
    }
    Outcome outcome = try_start(job);
    if (is_blocked(outcome) && std::exchange(job.fresh, false) &&
        (scan.may_reserve() || job.shape->blocked_epoch != epoch_) && drop_behind(job))
        outcome = try_start(job);
    if (is_blocked(outcome)) {
        auto tried = outcome == Outcome::blocked ? QueueScan::Tried::yes : QueueScan::Tried::no;
        if (scan.may_reserve() && reserve(job)) {
            job.holder_pass = pass_;
            scan.on_reserved();
            tried = QueueScan::Tried::yes;
        }
        scan.on_blocked(tried);
    }
    scan.move_on();
}

SchedCore::Outcome SchedCore::try_start(PendingJob& job) {
    JobShape& shape = *job.shape;
    if (shape.blocked_epoch == epoch_) return Outcome::known_blocked;
    const Demand demand = demand_of(job);
    if (plan_.still_short(shape.shortage, demand)) return Outcome::known_blocked;
    if (!free_supply().covers(shape.least)) {
        shape.blocked_epoch = epoch_;
        return deny_unless_feasible(job, Outcome::known_blocked);
    }
    if (auto R = plan_.fit_now(demand, now_)) {
        start(job, std::move(*R));
        return Outcome::started;
    }
    if (!plan_.keeps_before(now_ + demand.duration)) shape.blocked_epoch = epoch_;
    shape.shortage = plan_.shortage();
    return deny_unless_feasible(job, Outcome::blocked);
}

SchedCore::Outcome SchedCore::deny_unless_feasible(PendingJob& job, Outcome otherwise) {
    JobShape& shape = *job.shape;
    if (shape.known_feasible) return otherwise;
    if (auto feasible = matcher(shape).feasible(inventory()); !feasible) {
        decisions_.emplace_back(Deny{job.id, feasible.error().text()});
        leave(job);
        return Outcome::denied;
    }
    shape.known_feasible = true;
    return otherwise;
}

/// Starts a job that holds a reservation, or moves it to an earlier time, if that is possible.
/// True if the job has started and is gone.
bool SchedCore::improve(PendingJob& job) {
    const Slot& held = *plan_.reservation(job.id);
    if (improve_before_ <= now_ && held.start > now_) return false;
    const Demand demand = demand_of(job);
    if (!plan_.may_improve(job.id, demand, now_)) return false;
    std::optional<Slot> better;
    if (held.start > now_ && !(better = plan_.earlier(job.id, demand, now_))) return false;
    const Shortage shortage = plan_.shortage();
    if (!better || better->start <= now_) {
        if (auto R = plan_.fit_now(demand, now_, job.id)) {
            const Slot slot = *plan_.take_reservation(job.id);
            if (slot.start > now_ || !(slot.R == *R)) gained(slot.end);
            start(job, std::move(*R));
            return true;
        }
    }
    if (!better) return false;
    gained(plan_.take_reservation(job.id)->end);
    tell_estimate(job, better->start, decisions_);
    plan_.reserve(job.id, std::move(*better), shortage);
    return false;
}

bool SchedCore::reserve(PendingJob& job) {
    JobShape& shape = *job.shape;
    if (shape.unplannable_epoch == epoch_) return false;
    const double before = instance_expiration_ > 0 ? instance_expiration_ : never;
    auto slot = plan_.earliest(demand_of(job), now_, before);
    if (!slot) {
        shape.unplannable_epoch = epoch_;
        return false;
    }
    tell_estimate(job, slot->start, decisions_);
    plan_.reserve(job.id, std::move(*slot), plan_.shortage());
    return true;
}

/// Gives R to the job, which leaves its queue.
void SchedCore::start(PendingJob& job, ResourceSet R) {
    const double end = now_ + duration_of(job);
    R.starttime = now_;
    R.expiration = end == never ? 0 : end;
    JsonObject annotations = alloc_annotations(job, R);
    const JobId id = job.id;
    leave(job);
    const auto fresh = plan_.run(id, R, end);
    SLUICE_ASSERT(fresh.has_value());
    decisions_.emplace_back(Alloc{id, std::move(R), std::move(annotations)});
}

std::string_view SchedCore::reason_of(PendingJob& job) {
    JobShape& shape = *job.shape;
    if (shape.missing_epoch != epoch_) {
        shape.missing_epoch = epoch_;
        auto found = matcher(shape).match(inventory());
        auto* missing = std::get_if<std::string>(&found);
        shape.missing = missing ? "resources: " + *missing : "";
    }
    if (!shape.missing.empty()) return shape.missing;
    return plan_.still_short(shape.shortage, demand_of(job)) ? reason_kept : reason_others;
}

void SchedCore::explain(JobQueue& queue) {
    std::size_t explained = 0;
    for (PendingJob* job : queue.jobs()) {
        if (job->priority == 0 || explained++ == explained_jobs_max) return;
        tell_reason(*job, reason_of(*job), decisions_);
    }
}

std::vector<Decision> SchedCore::idle() {
    for (std::size_t i = 0; i < told_at_once_max && !untold_.empty(); ++i) {
        const auto found = pending_.find(untold_.front());
        untold_.pop_front();
        if (found != pending_.end() && found->second.reason.empty())
            tell_reason(found->second, reason_others, decisions_);
    }
    return std::exchange(decisions_, {});
}

Result<void> SchedCore::check_feasible(const AllocRequest& request) const {
    if (!defined_) return {};
    return MatchShape(inventory(), request.request, request.constraint, config_.match,
                      {&groups_, request.group})
        .feasible(inventory());
}

SchedStatus SchedCore::status() const {
    return {inventory().all(), inventory().down(), inventory().allocated()};
}

}  // namespace sluice
