#include "t/sim/checks.hpp"

#include <algorithm>

#include "base/rfc/fluid.hpp"
#include "t/sim/shell.hpp"

namespace sluice::sim {
namespace {

constexpr const char* volatile_event = "annotations";  // never stored

}  // namespace

void check_launch(const Host& host, const Shell& launched) {
    for (const auto& shell : host.shells) {
        if (shell.get() == &launched || !shell->busy()) continue;
        if (!(shell->cores() & launched.cores()).empty())
            world().wrong(fmt::format("rank {}: shells of {} and {} share cores", host.rank(),
                                      to_f58(shell->id()), to_f58(launched.id())));
    }
}

bool Observer::Seen::has(std::string_view name) const {
    return std::ranges::any_of(events, [&](const Event& event) { return event.name == name; });
}

void Observer::follow(Node& lead) {
    reading_ = true;
    held_.clear();
    for (auto& [id, job] : jobs_) job.told = job.holds = false;
    lead.user().call("job-manager.events-journal", {{"full", true}}, {.streaming = true},
                     [this](const Reply& reply) {
                         if (const auto payload = reply.json()) on_message(*payload);
                     });
}

void Observer::acknowledged(JobId id) { jobs_[id].acknowledged = true; }

void Observer::on_message(const JsonObject& payload) {
    JsonReader in{payload};
    const std::int64_t number = in.integer("id");
    if (number == -1) return on_sentinel();
    const JobId id{static_cast<std::uint64_t>(number)};
    Seen& job = jobs_[id];
    if (const JsonObject* R = in.maybe_object("R"))
        if (auto read = ResourceSet::from_json(*R)) job.R = *std::move(read);
    std::vector<Event> events;
    for (const Json& entry : in.array("events"))
        if (auto event = event_from_json(entry.as_object()); event && event->name != volatile_event)
            events.push_back(*std::move(event));
    if (reading_ && !job.told) return on_past(id, job, std::move(events));
    for (const Event& event : events) on_event(id, job, event);
}

/// What was told before is the beginning of what is told now.
void Observer::on_past(JobId id, Seen& job, std::vector<Event> events) {
    job.told = true;
    const bool prefix = job.events.size() <= events.size() &&
                        std::equal(job.events.begin(), job.events.end(), events.begin());
    if (!prefix)
        world().wrong(fmt::format("job {}: had {} events, {} after the restart, not the same",
                                  to_f58(id), job.events.size(), events.size()));
    job.events.clear();
    for (const Event& event : events) {
        check_order(id, job, event);
        job.events.push_back(event);
    }
    if (job.has("alloc") && !job.has("free")) hold(id, job);
}

void Observer::on_event(JobId id, Seen& job, const Event& event) {
    job.told = true;
    world().note(fmt::format("job {}: {} {}", to_f58(id), event.name, dump_json(event.context)));
    check_order(id, job, event);
    job.events.push_back(event);
    if (event.name == "alloc") hold(id, job);
    if (event.name == "free") release(id, job);
}

void Observer::check_order(JobId id, const Seen& job, const Event& event) const {
    const auto need = [&](bool holds, const char* what) {
        if (!holds) world().wrong(fmt::format("job {}: {} {}", to_f58(id), event.name, what));
    };
    if (event.name == "submit") need(job.events.empty(), "is not the first event");
    else need(!job.events.empty(), "is the first event");
    if (event.name == "alloc") need(!job.has("alloc"), "comes twice");
    if (event.name == "start") need(job.has("alloc") && !job.has("start"), "out of order");
    if (event.name == "finish") need(job.has("alloc") && !job.has("finish"), "out of order");
    if (event.name == "free") need(job.has("alloc") && !job.has("free"), "out of order");
    if (event.name == "clean")
        need(job.has("alloc") == job.has("free") && !job.has("clean"), "out of order");
    if (!job.events.empty()) need(event.timestamp >= job.events.back().timestamp, "goes back");
}

void Observer::on_sentinel() {
    reading_ = false;
    for (const auto& [id, job] : jobs_)
        if (!job.told && (job.acknowledged || !job.events.empty()))
            world().wrong(fmt::format("job {} is lost", to_f58(id)));
}

void Observer::hold(JobId id, Seen& job) {
    if (!job.R) return world().wrong(fmt::format("job {}: alloc without R", to_f58(id)));
    job.holds = true;
    for (const auto& node : job.R->nodes()) {
        for (const std::uint32_t core : node.cores) {
            const auto [place, free] = held_.try_emplace({node.rank, core}, id);
            if (!free)
                world().wrong(fmt::format("rank {} core {} is held by {} and {}", node.rank, core,
                                          to_f58(place->second), to_f58(id)));
        }
    }
}

void Observer::release(JobId id, Seen& job) {
    if (!std::exchange(job.holds, false)) return;
    for (const auto& node : job.R->nodes())
        for (const std::uint32_t core : node.cores)
            if (const auto found = held_.find({node.rank, core});
                found != held_.end() && found->second == id)
                held_.erase(found);
}

bool Observer::all_ended() const {
    return !reading_ && std::ranges::all_of(jobs_, [](const auto& entry) {
        return entry.second.has("clean");
    });
}

std::string Observer::open_jobs() const {
    std::string text;
    for (const auto& [id, job] : jobs_) {
        if (job.has("clean")) continue;
        text += fmt::format(" {} after {}", to_f58(id),
                            job.events.empty() ? "nothing" : job.events.back().name);
    }
    return text;
}

}  // namespace sluice::sim
