#include "broker/cron/entry.hpp"

namespace sluice {
namespace {

constexpr int code_killed_base = 128;

Result<CronSchedule> read_interval(const JsonObject& args) {
    JsonReader in{args};
    CronInterval schedule{.interval = in.number("interval")};
    schedule.after = in.number_or("after", schedule.interval);
    if (!in) return in.error();
    if (schedule.interval <= 0)
        return fail(EINVAL, "cron: interval: found {}, want more than 0", schedule.interval);
    if (schedule.after < 0) schedule.after = schedule.interval;
    return CronSchedule{schedule};
}

Result<CronSchedule> read_event(const JsonObject& args) {
    JsonReader in{args};
    CronEvent schedule{.topic = in.string("topic"),
                       .nth = in.integer_or("nth", 0),
                       .after = in.integer_or("after", 0),
                       .min_interval = in.number_or("min_interval", 0)};
    if (!in) return in.error();
    if (schedule.nth < 0 || schedule.after < 0)
        return fail(EINVAL, "cron: nth and after cannot be less than 0");
    return CronSchedule{schedule};
}

Result<CronSchedule> read_schedule(std::string_view type, const JsonObject& args) {
    if (type == "interval") return read_interval(args);
    if (type == "event") return read_event(args);
    if (type != "datetime")
        return fail(ENOSYS, "cron: no entry type '{}'; use interval, event or datetime", type);
    SLUICE_TRY(CronCalendar calendar, CronCalendar::from_json(args));
    return CronSchedule{std::move(calendar)};
}

std::string_view task_state(const CronTask& task) {
    if (task.rexec_errnum) return "Rexec Failure";
    if (task.started == 0) return "Deferred";
    if (!task.done()) return "Running";
    if (task.timed_out) return "Timeout";
    return task.status ? "Failed" : "Exited";
}

}  // namespace

JsonObject CronTask::to_json(std::int64_t rank) const {
    JsonObject object{{"rank", rank},
                      {"pid", pid},
                      {"status", status},
                      {"state", task_state(*this)},
                      {"create-time", created}};
    if (rexec_errnum) object["rexec_errno"] = rexec_errnum;
    if (timed_out) object["timedout"] = true;
    if (const int signal = status & 0x7f; done())
        object["code"] = signal != 0 ? code_killed_base + signal : status >> 8;
    if (started > 0) object["start-time"] = started;
    if (running > 0) object["running-time"] = running;
    if (done()) object["end-time"] = ended;
    return object;
}

Result<CronEntry> CronEntry::from_json(const JsonObject& request, std::int64_t id, double now) {
    JsonReader in{request};
    CronEntry entry;
    entry.id = id;
    entry.type = in.string("type");
    entry.name = in.string("name");
    entry.command = in.string("command");
    const JsonObject& args = in.object("args");
    if (const JsonObject* environment = in.maybe_object("environ"))
        entry.environment = *environment;
    entry.cwd = in.string_or("cwd", "");
    entry.repeat = in.integer_or("repeat", 0);
    entry.rank = in.integer_or("rank", 0);
    entry.history = in.integer_or("task-history-count", 1);
    entry.stop_on_failure = in.integer_or("stop-on-failure", 0);
    const double timeout = in.number_or("timeout", -1);
    if (!in) return in.error();
    if (timeout >= 0) entry.timeout = timeout;
    SLUICE_TRY(entry.schedule, read_schedule(entry.type, args));
    entry.ctime = now;
    entry.start(now);
    return entry;
}

void CronEntry::start(double now) {
    stopped = false;
    starttime = now;
    count = failcount = 0;
    next_wakeup.reset();
    if (const auto* interval = std::get_if<CronInterval>(&schedule))
        next_wakeup = now + interval->after;
    else if (const auto* calendar = std::get_if<CronCalendar>(&schedule))
        next_wakeup = calendar->next(now);
}

bool CronEntry::on_event(double now) {
    auto* event = std::get_if<CronEvent>(&schedule);
    if (!event || stopped) return false;
    ++event->counter;
    if (event->counter <= event->after) return false;
    if (event->nth > 0 && (event->counter - event->after) % event->nth != 0) return false;
    if (event->min_interval > 0 && now - lastrun < event->min_interval) {
        next_wakeup = lastrun + event->min_interval;
        return false;
    }
    return true;
}

void CronEntry::on_time(double now) {
    if (const auto* interval = std::get_if<CronInterval>(&schedule))
        next_wakeup = now + interval->interval;
    else if (const auto* calendar = std::get_if<CronCalendar>(&schedule))
        next_wakeup = calendar->next(now);
    else
        next_wakeup.reset();
}

void CronEntry::begin_task(double now) {
    task = CronTask{.created = now};
    ++total;
    if (++count == repeat) stop();
}

void CronEntry::end_task() {
    const bool failed = task->rexec_errnum || task->status;
    if (failed) {
        ++failure;
        ++failcount;
        if (gave_up()) stop();
    } else {
        ++success;
    }
    finished.push_front(*std::exchange(task, std::nullopt));
    while (static_cast<std::int64_t>(finished.size()) > std::max<std::int64_t>(history, 0))
        finished.pop_back();
}

JsonObject CronEntry::typedata() const {
    JsonObject data;
    if (const auto* interval = std::get_if<CronInterval>(&schedule)) {
        data = {{"interval", interval->interval}, {"after", interval->after}};
    } else if (const auto* calendar = std::get_if<CronCalendar>(&schedule)) {
        data = calendar->to_json();
    } else {
        const auto& event = std::get<CronEvent>(schedule);
        return {{"topic", event.topic},
                {"nth", event.nth},
                {"after", event.after},
                {"counter", event.counter},
                {"min_interval", event.min_interval}};
    }
    if (next_wakeup) data["next_wakeup"] = *next_wakeup;
    return data;
}

JsonObject CronEntry::to_json() const {
    JsonObject object{{"id", id},           {"rank", rank},     {"name", name},
                      {"command", command}, {"repeat", repeat}, {"stopped", stopped},
                      {"type", type}};
    if (timeout) object["timeout"] = *timeout;
    object["stats"] = JsonObject{{"ctime", ctime},     {"starttime", starttime},
                                 {"lastrun", lastrun}, {"count", count},
                                 {"failcount", failcount}, {"total", total},
                                 {"success", success}, {"failure", failure},
                                 {"deferred", deferred}};
    object["typedata"] = typedata();
    JsonArray tasks;
    if (task) tasks.push_back(task->to_json(rank));
    for (const CronTask& old : finished) tasks.push_back(old.to_json(rank));
    object["tasks"] = std::move(tasks);
    return object;
}

}  // namespace sluice
