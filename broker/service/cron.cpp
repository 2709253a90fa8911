// cron.* - commands run at intervals, at events or at dates (wire.md 2.13). What is due is decided
// by CronEntry; commands run through rexec. Rank 0. By default due commands wait for the next
// heartbeat, so that their noise falls together (sync).
#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <csignal>
#include <list>

#include "base/rfc/eventlog.hpp"
#include "base/rfc/io_data.hpp"
#include "broker/context.hpp"
#include "broker/cron/entry.hpp"
#include "broker/log/logger.hpp"
#include "broker/parts.hpp"
#include "broker/router/rpc_client.hpp"
#include "broker/service/service.hpp"

namespace sluice {
namespace {

namespace asio = boost::asio;

constexpr double sync_epsilon_default = 0.015;  // seconds after the sync event
constexpr double wait_max = 3600;               // the wall clock may be set meanwhile
constexpr std::int64_t output_flags = 3;        // rexec: stdout and stderr

std::chrono::nanoseconds after_seconds(double seconds) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::duration<double>(seconds));
}

/// Events of many prefixes to one function; a prefix may be listened to several times.
class EventTap : public Endpoint {
  public:
    EventTap(Router& router, std::function<void(std::string_view topic)> on_event)
        : router_(router), route_(router.attach(this)), on_event_(std::move(on_event)) {}
    ~EventTap() override { router_.detach(route_, this); }
    EventTap(const EventTap&) = delete;

    void add(std::string_view prefix) { router_.subscribe(this, prefix); }
    void remove(std::string_view prefix) { (void)router_.unsubscribe(this, prefix); }
    void deliver(Message message) override {
        if (message.type == MessageType::event) on_event_(message.topic);
    }

  private:
    Router& router_;
    std::string route_;
    std::function<void(std::string_view)> on_event_;
};

class CronService : public RpcService<CronService> {
  public:
    static const RpcTable<CronService> rpcs;

    explicit CronService(BrokerContext& context)
        : RpcService(context.router, "cron"),
          context_(context),
          rpc_(context.router),
          tap_(context.router, [this](std::string_view topic) { on_event(topic); }),
          timer_(context.io) {
        tap_.add(*sync_event_);
    }

  private:
    /// An entry with what runs it. Stays until its task has ended, even when deleted.
    struct Slot {
        Slot(asio::io_context& io, CronEntry made) : entry(std::move(made)), timeout(io) {}
        CronEntry entry;
        asio::steady_timer timeout;
        bool waiting = false, deleted = false;
    };
    using Slots = std::list<Slot>;

    void create(Request request, const JsonObject& payload);
    void remove(Request request, const JsonObject& payload);
    void list(Request request, const JsonObject& payload);
    void start(Request request, const JsonObject& payload);
    void stop(Request request, const JsonObject& payload);
    void sync(Request request, const JsonObject& payload);

    Slots::iterator find(const Request& request, const JsonObject& payload);
    void on_event(std::string_view topic);
    void on_time();
    void arm();
    void due(Slot& slot, double now);
    void run_waiting();
    void run(Slot& slot);
    void on_reply(std::int64_t id, const Reply& reply);
    void on_output(const CronEntry& entry, const JsonObject& io);
    void arm_timeout(Slot& slot);
    void kill(const Slot& slot);
    void ended(std::int64_t id);

    BrokerContext& context_;
    RpcClient rpc_;
    EventTap tap_;
    asio::steady_timer timer_;
    Slots slots_;
    std::int64_t next_id_ = 1;
    std::optional<std::string> sync_event_ = "heartbeat.pulse";
    double sync_epsilon_ = sync_epsilon_default, last_sync_ = 0;
};

const RpcTable<CronService> CronService::rpcs{
    {"create", Caller::owner, Body::json, &CronService::create},
    {"delete", Caller::owner, Body::json, &CronService::remove},
    {"list", Caller::owner, Body::maybe, &CronService::list},
    {"start", Caller::owner, Body::json, &CronService::start},
    {"stop", Caller::owner, Body::json, &CronService::stop},
    {"sync", Caller::owner, Body::json, &CronService::sync},
};

void CronService::create(Request request, const JsonObject& payload) {
    auto entry = CronEntry::from_json(payload, next_id_, wall_clock_now());
    if (!entry) return request.fail(entry.error());
    if (entry->rank < 0 || entry->rank >= context_.size)
        return request.fail(sluice::fail(EINVAL, "cron: no rank {}; there are {}", entry->rank,
                                         context_.size));
    ++next_id_;
    if (const auto* event = std::get_if<CronEvent>(&entry->schedule)) tap_.add(event->topic);
    const Slot& slot = slots_.emplace_back(context_.io, *std::move(entry));
    request.respond(slot.entry.to_json());
    arm();
}

CronService::Slots::iterator CronService::find(const Request& request, const JsonObject& payload) {
    JsonReader in{payload};
    const std::int64_t id = in.integer("id");
    if (!in) return request.fail(in.error()), slots_.end();
    for (auto slot = slots_.begin(); slot != slots_.end(); ++slot)
        if (slot->entry.id == id && !slot->deleted) return slot;
    request.fail(Error{ENOENT});
    return slots_.end();
}

void CronService::remove(Request request, const JsonObject& payload) {
    const auto slot = find(request, payload);
    if (slot == slots_.end()) return;
    JsonReader in{payload};
    const JsonObject answer = slot->entry.to_json();
    if (slot->entry.task && in.boolean_or("kill", false)) kill(*slot);
    if (const auto* event = std::get_if<CronEvent>(&slot->entry.schedule))
        tap_.remove(event->topic);
    slot->entry.stop();
    slot->deleted = true;
    if (!slot->entry.task || slot->waiting) slots_.erase(slot);
    request.respond(answer);
    arm();
}

void CronService::list(Request request, const JsonObject&) {
    JsonArray entries;
    for (const Slot& slot : slots_)
        if (!slot.deleted) entries.push_back(slot.entry.to_json());
    request.respond(JsonObject{{"entries", std::move(entries)}});
}

void CronService::start(Request request, const JsonObject& payload) {
    const auto slot = find(request, payload);
    if (slot == slots_.end()) return;
    if (!slot->entry.stopped) return request.fail(Error{EINVAL});
    slot->entry.start(wall_clock_now());
    request.respond(slot->entry.to_json());
    arm();
}

void CronService::stop(Request request, const JsonObject& payload) {
    const auto slot = find(request, payload);
    if (slot == slots_.end()) return;
    if (slot->entry.stopped) return request.fail(Error{EINVAL});
    slot->entry.stop();
    request.respond(slot->entry.to_json());
    arm();
}

void CronService::sync(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    const auto topic = in.maybe_string("topic");
    const bool disable = in.boolean_or("disable", false);
    const double epsilon = in.number_or("sync_epsilon", sync_epsilon_);
    if (!in) return request.fail(in.error());
    sync_epsilon_ = epsilon;
    if ((topic || disable) && sync_event_) tap_.remove(*std::exchange(sync_event_, {}));
    if (topic) {
        tap_.add(*topic);
        sync_event_ = topic;
    }
    if (sync_event_)
        return request.respond(
            JsonObject{{"sync_event", *sync_event_}, {"sync_epsilon", sync_epsilon_}});
    run_waiting();
    request.respond(JsonObject{{"sync_disabled", true}});
}

void CronService::on_event(std::string_view topic) {
    const double now = wall_clock_now();
    for (Slot& slot : slots_) {
        const auto* event = std::get_if<CronEvent>(&slot.entry.schedule);
        if (event && topic.starts_with(event->topic) && slot.entry.on_event(now)) due(slot, now);
    }
    if (sync_event_ && topic.starts_with(*sync_event_)) {
        last_sync_ = now;
        run_waiting();
    }
    arm();
}

void CronService::arm() {
    std::optional<double> next;
    for (const Slot& slot : slots_)
        if (const auto time = slot.entry.wakeup(); time && (!next || *time < *next)) next = time;
    timer_.cancel();
    if (!next) return;
    timer_.expires_after(after_seconds(std::clamp(*next - wall_clock_now(), 0.0, wait_max)));
    timer_.async_wait([this](boost::system::error_code error) {
        if (!error) on_time();
    });
}

void CronService::on_time() {
    const double now = wall_clock_now();
    for (Slot& slot : slots_) {
        if (const auto time = slot.entry.wakeup(); !time || *time > now) continue;
        slot.entry.on_time(now);
        due(slot, now);
    }
    arm();
}

void CronService::due(Slot& slot, double now) {
    CronEntry& entry = slot.entry;
    if (entry.task) {
        context_.log.info("cron", "cron-{}: {}: task still running or scheduled", entry.id,
                          entry.name);
        return;
    }
    entry.begin_task(now);
    if (!sync_event_ || now - last_sync_ < sync_epsilon_) return run(slot);
    slot.waiting = true;
    ++entry.deferred;
}

void CronService::run_waiting() {
    for (Slot& slot : slots_)
        if (std::exchange(slot.waiting, false)) run(slot);
}

void CronService::run(Slot& slot) {
    CronEntry& entry = slot.entry;
    entry.lastrun = entry.task->started = wall_clock_now();
    JsonObject command{{"cmdline", JsonArray{"sh", "-c", entry.command}},
                       {"env", entry.environment.value_or(JsonObject{})},
                       {"opts", JsonObject{}},
                       {"channels", JsonArray{}}};
    if (!entry.cwd.empty()) command["cwd"] = entry.cwd;
    const JsonObject request{{"cmd", std::move(command)}, {"flags", output_flags}};
    arm_timeout(slot);
    rpc_.call("rexec.exec", request,
              {.nodeid = static_cast<std::uint32_t>(entry.rank), .streaming = true},
              [this, id = entry.id](const Reply& reply) { on_reply(id, reply); });
}

void CronService::arm_timeout(Slot& slot) {
    if (!slot.entry.timeout || *slot.entry.timeout <= 0) return;
    slot.timeout.expires_after(after_seconds(*slot.entry.timeout));
    slot.timeout.async_wait([this, &slot](boost::system::error_code error) {
        if (error || !slot.entry.task) return;
        slot.entry.task->timed_out = true;
        kill(slot);
    });
}

void CronService::kill(const Slot& slot) {
    if (slot.entry.task->pid <= 0) return;
    rpc_.call("rexec.kill", JsonObject{{"pid", slot.entry.task->pid}, {"signum", SIGTERM}},
              {.nodeid = static_cast<std::uint32_t>(slot.entry.rank)}, {});
}

void CronService::on_reply(std::int64_t id, const Reply& reply) {
    const auto slot = std::find_if(slots_.begin(), slots_.end(),
                                   [id](const Slot& other) { return other.entry.id == id; });
    if (slot == slots_.end() || !slot->entry.task) return;
    CronTask& task = *slot->entry.task;
    if (!reply.ok()) {
        if (!reply.end_of_stream()) {
            task.rexec_errnum = reply.message.errnum();
            context_.log.err("cron", "cron-{}: failure running {}: {}", id, slot->entry.command,
                             reply.error().text());
        }
        return ended(id);
    }
    const auto payload = reply.json();
    if (!payload) return;
    JsonReader in{*payload};
    const std::string type = in.string("type");
    if (type == "started") {
        task.pid = in.integer_or("pid", 0);
        task.running = wall_clock_now();
    } else if (type == "finished") {
        task.status = static_cast<int>(in.integer_or("status", 0));
    } else if (type == "output") {
        if (const JsonObject* io = in.maybe_object("io")) on_output(slot->entry, *io);
    }
}

void CronService::on_output(const CronEntry& entry, const JsonObject& object) {
    const auto io = decode_io(object);
    if (!io || io->data.empty()) return;
    std::string text = io->data;
    while (text.ends_with('\n')) text.pop_back();
    const LogLevel level = io->stream == "stderr" ? LogLevel::err : LogLevel::info;
    context_.log.log(level, "cron",
                     fmt::format("cron-{}[{}]: rank={}: command=\"{}\": \"{}\"", entry.id,
                                 entry.name, entry.rank, entry.command, text));
}

void CronService::ended(std::int64_t id) {
    const auto slot = std::find_if(slots_.begin(), slots_.end(),
                                   [id](const Slot& other) { return other.entry.id == id; });
    CronEntry& entry = slot->entry;
    slot->timeout.cancel();
    entry.task->ended = wall_clock_now();
    const bool was_stopped = entry.stopped;
    if (entry.task->status)
        context_.log.err("cron", "cron-{}: \"{}\": failed with status {:#x}", id, entry.command,
                         entry.task->status);
    entry.end_task();
    if (!was_stopped && entry.gave_up())
        context_.log.err("cron", "cron-{}: failure limit of {} reached; stopped", id,
                         entry.stop_on_failure);
    if (slot->deleted) slots_.erase(slot);
    arm();
}

}  // namespace

Result<Part> make_cron(BrokerContext& context) {
    return Part{std::make_shared<CronService>(context)};
}

}  // namespace sluice
