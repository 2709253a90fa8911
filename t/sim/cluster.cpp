#include "t/sim/cluster.hpp"

#include <csignal>
#include <filesystem>

#include "base/rfc/fluid.hpp"
#include "base/rfc/jobspec.hpp"
#include "t/sim/network.hpp"
#include "t/sim/processes.hpp"
#include "t/sim/shell.hpp"

namespace sluice::sim {
namespace {

const UserId owner{1000};
constexpr Time patience = 900 * second;  // after the faults all must come to rest within it

JsonObject config_of(const Plan& plan) {
    return parse_json_object(
               fmt::format("{{\"resource\":{{\"noverify\":true,\"config\":[{{\"hosts\":\"sim[0-{}]"
                           "\",\"cores\":\"0-{}\"}}]}},\"sched-fluxion-qmanager\":{{\"queue-policy"
                           "\":\"{}\"}}}}",
                           plan.brokers - 1, plan.cores - 1, plan.policy))
        .value_or({});
}

}  // namespace

Cluster::Cluster(const Plan& plan, const std::string& folder, bool talks)
    : plan_(plan),
      world_(plan.seed),
      options_{.size = plan.brokers,
               .fanout = plan.fanout,
               .quorum = plan.quorum,
               .config = config_of(plan)},
      ids_(plan.jobs.size()),
      attempts_(plan.jobs.size()) {
    world_.talks = talks;
    clear_network();
    clear_disk();
    clear_processes();
    std::filesystem::create_directories(folder);
    make_store(folder);
    for (std::uint32_t rank = 0; rank < plan.brokers; ++rank)
        hosts_.push_back(std::make_unique<Host>(rank, folder));
    on_kill = [this](int pid, int signum) {
        for (const auto& host : hosts_)
            for (const auto& shell : std::vector(host->shells))
                if (shell->pid() == pid) shell->kill(signum);
    };
}

Cluster::~Cluster() {
    on_kill = nullptr;
    hosts_.clear();
    clear_processes();
    clear_network();
}

std::unique_ptr<Node> Cluster::make_node(Host& host) {
    auto node = std::make_unique<Node>(host, options_);
    if (host.rank() == 0)
        node->context().on_state.add([this, node = node.get()](const std::string& state) {
            if (state == "quorum") observer_.follow(*node);
        });
    return node;
}

Outcome Cluster::run() {
    for (const auto& host : hosts_)
        world_.after(world_.rng.range(0, 500) * millisecond, [this, host = host.get()] {
            host->start([this](Host& self) { return make_node(self); });
        });
    for (std::size_t i = 0; i < plan_.jobs.size(); ++i)
        world_.at(plan_.jobs[i].when, [this, i] { submit(i); });
    for (const Fault& fault : plan_.faults)
        world_.at(fault.when, [this, fault] { inflict(fault); });
    const Time calm = plan_.end_of_faults();
    world_.at(calm, [this] { heal(); });
    world_.at(calm + patience, [this] {
        if (!done_)
            world_.wrong(fmt::format("no rest {} s after the last fault; open jobs:{}",
                                     seconds(patience), observer_.open_jobs()));
    });
    while (!done_ && world_.found().empty() && world_.step()) {
    }
    return {world_.found(), world_.digest(), seconds(world_.now())};
}

void Cluster::inflict(const Fault& fault) {
    world_.note(text_of(fault));
    Host& host = *hosts_[fault.rank];
    const std::uint32_t child = fault.rank ? fault.rank : plan_.brokers > 1 ? 1 : 0;
    switch (fault.kind) {
        case Fault::Kind::crash:
            if (fault.rank == 0) tear_next(fault.tear, fault.part);
            return host.crash(fault.span);
        case Fault::Kind::freeze: return host.freeze(world_.now() + fault.span);
        case Fault::Kind::cut: return cut_link(child, world_.now() + fault.span);
        case Fault::Kind::slow:
            return slow_link(child, world_.now() + fault.span, fault.span / 4);
        case Fault::Kind::break_link: return break_link(child);
        case Fault::Kind::kill_shell: return kill_shell(host, fault.part);
        case Fault::Kind::kill_zygote:
            if (host.kill_zygote) host.kill_zygote();
            return;
        case Fault::Kind::clock: world_.wall_shift += fault.span; return;
        case Fault::Kind::full_disk:
            fill_disk(true);
            return world_.after(fault.span, [] { fill_disk(false); });
    }
}

void Cluster::kill_shell(Host& host, double which) {
    if (host.shells.empty()) return;
    const auto at = static_cast<std::size_t>(which * static_cast<double>(host.shells.size() - 1));
    const std::shared_ptr<Shell> shell = host.shells[at];
    world_.note(fmt::format("kills the shell of {}", to_f58(shell->id())));
    shell->kill(SIGKILL);
}

/// As a person would: again and again, until there is an id.
void Cluster::submit(std::size_t index) {
    if (ids_[index] || done_) return;
    const int attempt = ++attempts_[index];
    Host& host = *hosts_[plan_.jobs[index].from];
    host.post(world_.now(), [this, index, &host] {
        host.node()->user().call(
            "job-ingest.submit",
            {{"J", sign_none(jobspec_of(plan_.jobs[index]), owner)}, {"urgency", 16}, {"flags", 0}},
            {}, [this, index](const Reply& reply) { submitted(index, reply); });
    });
    world_.after(attempt < 5 ? 2 * second : 10 * second, [this, index] { submit(index); });
}

void Cluster::submitted(std::size_t index, const Reply& reply) {
    const auto payload = reply.json();
    if (!payload) {
        const int errnum = reply.error().errnum();
        if (errnum != EHOSTUNREACH && errnum != ENOSYS && errnum != EAGAIN && errnum != ENOSPC)
            world_.wrong(fmt::format("submit: {}", reply.error().text()));
        return;
    }
    JsonReader in{*payload};
    const JobId id{static_cast<std::uint64_t>(in.integer("id"))};
    world_.note(fmt::format("job {} is acknowledged", to_f58(id)));
    observer_.acknowledged(id);
    ids_[index] = id;
    if (const Time wait = plan_.jobs[index].cancel_after)
        world_.after(wait, [this, index, id] { cancel(index, id); });
}

void Cluster::cancel(std::size_t index, JobId id) {
    Host& host = *hosts_[plan_.jobs[index].from];
    host.post(world_.now(), [&host, id] {
        host.node()->user().call(
            "job-manager.raise",
            {{"id", id.value}, {"type", "cancel"}, {"severity", 0}, {"note", ""}}, {}, {});
    });
}

void Cluster::heal() {
    world_.note("the faults are over");
    heal_network();
    fill_disk(false);
    look();
}

/// Once a second: is everything at rest?
void Cluster::look() {
    if (done_) return;
    if (!asked_ && at_rest()) last_questions();
    world_.after(second, [this] { look(); });
}

bool Cluster::at_rest() {
    for (const auto& host : hosts_) {
        Node* node = host->node();
        if (!node || node->lifecycle().state() != BrokerState::run || !host->shells.empty())
            return false;
    }
    for (const auto& id : ids_)
        if (!id) return false;
    return observer_.all_ended();
}

/// What any client may ask: resources, idleness, each job.
void Cluster::last_questions() {
    asked_ = true;
    open_questions_ = 2 + ids_.size();
    Host& lead = *hosts_[0];
    lead.post(world_.now(), [this, &lead] {
        RpcClient& user = lead.node()->user();
        const auto answered = [this] { done_ = --open_questions_ == 0; };
        user.call("resource.sched-status", {}, {}, [this, answered](const Reply& reply) {
            check_resources(reply);
            answered();
        });
        user.call("job-manager.idle", {}, {}, [this, answered](const Reply& reply) {
            const auto payload = reply.json();
            if (!payload) world_.wrong("job-manager.idle: " + reply.error().text());
            answered();
        });
        for (const auto& id : ids_)
            user.call("job-list.list-id", {{"id", id->value}, {"attrs", JsonArray{"state"}}}, {},
                      [this, answered, id = *id](const Reply& reply) {
                          check_job(id, reply);
                          answered();
                      });
    });
}

void Cluster::check_resources(const Reply& reply) {
    const auto payload = reply.json();
    if (!payload) return world_.wrong("resource.sched-status: " + reply.error().text());
    JsonReader in{*payload};
    const auto allocated = ResourceSet::from_json(in.object("allocated"));
    const auto down = ResourceSet::from_json(in.object("down"));
    const auto all = ResourceSet::from_json(in.object("all"));
    if (allocated && !allocated->empty())
        world_.wrong("still allocated: " + allocated->to_short());
    if (down && !down->empty()) world_.wrong("still down: " + down->to_short());
    if (!all || all->node_count() != plan_.brokers) world_.wrong("resources are missing");
}

void Cluster::check_job(JobId id, const Reply& reply) {
    const auto payload = reply.json();
    if (!payload)
        return world_.wrong(fmt::format("job {}: {}", to_f58(id), reply.error().text()));
    JsonReader in{*payload};
    JsonReader job{in.object("job")};
    if (job.integer("state") != 64) world_.wrong(fmt::format("job {} has not ended", to_f58(id)));
}

}  // namespace sluice::sim
