#include "broker/service/outside_scheduler.hpp"

#include <algorithm>

#include "base/rfc/fluid.hpp"
#include "broker/log/logger.hpp"

namespace sluice {
namespace {

enum AnswerType { success, annotate, deny, cancelled };  // RFC 27, "type" of an alloc response

Result<ResourceSet> read_R(const JsonObject& payload, const char* key) {
    const Json* R = payload.if_contains(key);
    if (!R || !R->is_object()) return fail(EPROTO, "{} is missing", key);
    return ResourceSet::from_json(R->as_object());
}

Result<SchedStatus> read_status(const JsonObject& payload) {
    SchedStatus status;
    SLUICE_TRY(status.all, read_R(payload, "all"));
    SLUICE_TRY(status.down, read_R(payload, "down"));
    SLUICE_TRY(status.allocated, read_R(payload, "allocated"));
    return status;
}

}  // namespace

OutsideScheduler::OutsideScheduler(BrokerContext& context, std::string sender, Hooks hooks)
    : context_(context),
      sender_(std::move(sender)),
      hooks_(std::move(hooks)),
      route_(context.router.attach(this)),
      rpc_(context.router) {}

OutsideScheduler::~OutsideScheduler() {
    *alive_ = false;
    context_.router.detach(route_, this);
}

template <class Kind>
void OutsideScheduler::decide(Kind decision) {
    decisions_.emplace_back(std::in_place_type<Kind>, std::move(decision));
    later();
}

void OutsideScheduler::set_ready(std::optional<std::size_t> limit) {
    ready_ = true;
    limit_ = limit;
}

void OutsideScheduler::submit(Ask ask) {
    waiting_.insert(place_of(ask));
    asks_.insert_or_assign(ask.id, std::move(ask));
    later();
}

/// What was sent and is worse than the best that waits is taken back, one for one.
void OutsideScheduler::make_room() {
    if (!limit_ || waiting_.empty()) return;
    if (sent_.size() < *limit_) return;
    const auto worst = std::find_if(sent_.rbegin(), sent_.rend(), [this](const Place& place) {
        return !withdrawn_.contains(place.second);
    });
    if (worst == sent_.rend() || *worst < *waiting_.begin()) return;
    const JobId id = worst->second;
    withdrawn_.insert(id);
    send("cancel", {{"id", id.value}}, true);
}

void OutsideScheduler::send_asks() {
    if (!ready_) return;
    while (!waiting_.empty() && (!limit_ || sent_.size() < *limit_)) {
        const Ask& ask = asks_.at(waiting_.begin()->second);
        sent_.insert(waiting_.extract(waiting_.begin()));
        send("alloc",
             {{"id", ask.id.value},
              {"priority", ask.priority},
              {"userid", ask.userid.value},
              {"t_submit", ask.t_submit},
              {"jobspec", ask.jobspec}},
             false);
    }
}

void OutsideScheduler::cancel(JobId id) {
    const auto ask = asks_.find(id);
    if (ask == asks_.end()) return;
    if (waiting_.erase(place_of(ask->second)) == 0) {
        withdrawn_.erase(id);
        return send("cancel", {{"id", id.value}}, true);
    }
    asks_.erase(ask);
    decide(Cancelled{id});
}

void OutsideScheduler::prioritize(const std::vector<std::pair<JobId, std::uint32_t>>& priorities) {
    JsonArray sent;
    for (const auto& [id, priority] : priorities) {
        const auto ask = asks_.find(id);
        if (ask == asks_.end()) continue;
        std::set<Place>& places = waiting_.contains(place_of(ask->second)) ? waiting_ : sent_;
        places.erase(place_of(ask->second));
        ask->second.priority = priority;
        places.insert(place_of(ask->second));
        if (&places == &sent_) sent.push_back(JsonArray{id.value, priority});
    }
    if (!sent.empty()) send("prioritize", {{"jobs", std::move(sent)}}, true);
    later();
}

void OutsideScheduler::free(JobId id, const ResourceSet& R, bool final) {
    send("free", {{"id", id.value}, {"R", R.to_json()}, {"final", final}}, false);
}

void OutsideScheduler::set_expiration(JobId id, double expiration) {
    rpc_.call("sched.expiration", {{"id", id.value}, {"expiration", expiration}}, {},
              [this, id](const Reply& reply) {
                  if (reply.ok()) return;
                  context_.log.warning("job-manager", "scheduler keeps the old end of job {}: {}",
                                       to_f58(id), reply.error().text());
              });
}

void OutsideScheduler::status(std::function<void(SchedStatus)> answer) {
    rpc_.call("sched.resource-status", {}, {}, [answer = std::move(answer)](const Reply& reply) {
        const auto payload = reply.json();
        Result<SchedStatus> status = payload ? read_status(*payload) : payload.error();
        answer(status ? *std::move(status) : SchedStatus{});
    });
}

void OutsideScheduler::send(std::string_view method, const JsonObject& payload, bool noresponse) {
    Message request = Message::request("sched." + std::string{method});
    request.set_json(payload);
    if (noresponse) request.flags |= message_flag::noresponse;
    request.cred = {context_.router.owner(), role::owner | role::local};
    request.routes.push_back(route_);
    context_.router.request(std::move(request));
}

/// An answer to sched.alloc, or the router's to what cannot be delivered.
void OutsideScheduler::deliver(Message message) {
    if (message.type != MessageType::response || broken_) return;
    const Reply reply{std::move(message)};
    const auto payload = reply.json();
    if (!payload) return fail_with(reply.message.topic + ": " + payload.error().text());
    if (const auto read = read_answer(*payload); !read) fail_with(read.error().text());
}

Result<void> OutsideScheduler::read_answer(const JsonObject& payload) {
    JsonReader in{payload};
    const JobId id{static_cast<std::uint64_t>(in.integer("id"))};
    const std::int64_t type = in.integer("type");
    const std::string note = in.string_or("note", "");
    if (!in) return in.error().in("alloc response");
    const auto ask = asks_.find(id);
    if (ask == asks_.end() || !sent_.contains(place_of(ask->second)))
        return fail(EPROTO, "alloc response for job {}, not asked for", id);
    const Json* given = payload.if_contains("annotations");
    JsonObject annotations = given && given->is_object() ? given->as_object() : JsonObject{};
    if (type == annotate) {
        if (!given) return fail(EPROTO, "alloc response for job {}: no annotations", id);
        decide(Annotate{id, std::move(annotations)});
        return {};
    }
    if (type == cancelled && withdrawn_.erase(id) > 0) {
        waiting_.insert(sent_.extract(place_of(ask->second)));
        later();
        return {};
    }
    if (type == success) {
        SLUICE_TRY(ResourceSet R, read_R(payload, "R"));
        decide(Alloc{id, std::move(R), std::move(annotations)});
    } else if (type == deny) {
        decide(Deny{id, note});
    } else if (type == cancelled) {
        decide(Cancelled{id});
    } else {
        return fail(EPROTO, "alloc response for job {}: type {} is not 0 to 3", id, type);
    }
    sent_.erase(place_of(ask->second));
    withdrawn_.erase(id);
    asks_.erase(ask);
    later();
    return {};
}

void OutsideScheduler::fail_with(std::string why) {
    if (broken_) return;
    broken_ = std::move(why);
    later();
}

/// At the end of the turn the owner is told, never from within a call of its own, and the best of
/// all that came in the turn is sent first.
void OutsideScheduler::later() {
    if (std::exchange(told_later_, true)) return;
    context_.turn_end.post([this, alive = alive_] {
        if (*alive) tell();
    });
}

void OutsideScheduler::tell() {
    told_later_ = false;
    if (!decisions_.empty()) hooks_.decide(std::exchange(decisions_, {}));
    if (broken_) return hooks_.broken(*broken_);
    make_room();
    send_asks();
}

}  // namespace sluice
