#include "resource/instance_resources.hpp"

#include <utility>

namespace sluice {
namespace {

constexpr std::string_view by_discovery = "dynamic-discovery", by_parent = "job-info";

/// The nodes of the instance before their resources are known: enough to name ranks by host.
ResourceSet bare_nodes(const Hostlist& hosts) {
    ResourceSet nodes;
    for (std::size_t rank = 0; rank < hosts.size(); ++rank)
        nodes.add({static_cast<std::uint32_t>(rank), hosts[rank], {}, {}});
    return nodes;
}

JsonObject idset_context(const Idset& ranks) {
    JsonObject context;
    context["idset"] = ranks.to_string();
    return context;
}

}  // namespace

InstanceResources::InstanceResources(ResourceConfig config, Hostlist hosts, Effects effects)
    : config_(std::move(config)),
      hosts_(std::move(hosts)),
      effects_(std::move(effects)),
      log_(static_cast<std::size_t>(config_.journal_max)) {
    const std::size_t size = hosts_.size();
    JsonObject context;
    context["ranks"] =
        size ? Idset::range(0, static_cast<std::uint32_t>(size) - 1).to_string() : "";
    context["online"] = "";
    context["nodelist"] = hosts_.to_string();
    add_event("restart", std::move(context));
}

/// Ranks may have other numbers now: their hosts count, unless several brokers share one.
Idset InstanceResources::ranks_of(const Event& event) const {
    JsonReader in{event.context};
    const auto ranks = Idset::parse(in.string("idset"));
    const auto hosts = Hostlist::parse(in.string("nodelist"));
    Idset now;
    if (!in || !ranks || !hosts) return now;
    std::size_t place = 0;
    for (const std::uint32_t rank : *ranks) {
        if (place == hosts->size()) break;
        const std::string host = (*hosts)[place++];
        const bool same = rank < hosts_.size() && hosts_[rank] == host;
        const auto found = same ? std::optional<std::size_t>{rank} : hosts_.find(host);
        if (found) now.insert(static_cast<std::uint32_t>(*found));
    }
    return now;
}

void InstanceResources::restore(const std::vector<Event>& log) {
    std::vector<JsonObject> entries;
    for (const Event& event : log) {
        const Idset ranks = ranks_of(event);
        if (event.name == "drain") {
            JsonReader in{event.context};
            const std::string reason = in.string_or("reason", "");
            const std::int64_t overwrite = in.integer_or("overwrite", 0);
            const DrainMode mode = overwrite == 0   ? DrainMode::update
                                   : overwrite == 1 ? DrainMode::overwrite
                                                    : DrainMode::force_overwrite;
            (void)states_.drain(ranks, reason, mode, event.timestamp);
        } else if (event.name == "undrain") {
            (void)states_.undrain(ranks, true);
        } else {
            continue;
        }
        entries.push_back(event_to_json(event));
    }
    log_.prepend(entries);
}

bool InstanceResources::wants_reports() const {
    if (config_.fake) return false;
    return !defined_ || !config_.noverify;
}

Result<void> InstanceResources::start(const std::optional<std::string>& file,
                                      const std::optional<ResourceSet>& parent) {
    if (config_.fake) {
        ResourceSet R = config_.fake->resource_set();
        states_.set_online(R.ranks());
        return use(std::move(R), "fake");
    }
    if (file) {
        auto R = ResourceSet::parse(*file);
        if (!R) return Error{EINVAL, config_.path + ": " + R.error().text()};
        SLUICE_TRY(ResourceSet ranked, rerank(*R, hosts_));
        return use(std::move(ranked), "configuration");
    }
    if (config_.config) {
        SLUICE_TRY(ResourceSet ranked, rerank(*config_.config, hosts_));
        return use(std::move(ranked), "configuration");
    }
    // Several brokers on a node of the parent's R, or some left out: they look for themselves.
    if (parent && parent->node_count() == hosts_.size())
        return use(renumbered(*parent), std::string{by_parent});
    return apply_exclude(bare_nodes(hosts_));
}

Result<void> InstanceResources::use(ResourceSet R, std::string method) {
    SLUICE_CHECK(apply_exclude(R));
    R_ = std::move(R);
    define(std::move(method));
    return {};
}

Result<void> InstanceResources::apply_exclude(const ResourceSet& R) {
    if (config_.exclude.empty()) return {};
    auto ranks = find_ranks(config_.exclude, R);
    if (!ranks)
        return fail(EINVAL, "resource.exclude: {} ('{}'); name ranks or hosts of the instance",
                    ranks.error().text(), config_.exclude);
    states_.set_excluded(*std::move(ranks));
    return {};
}

Idset InstanceResources::usable() const { return states_.usable() & R_.ranks(); }

void InstanceResources::define(std::string method) {
    method_ = std::move(method);
    defined_ = true;
    JsonObject context;
    context["method"] = method_;
    add_event("resource-define", std::move(context), Json(R_.to_json()));
    LocalityMap locality;
    for (const auto& [rank, node] : reports_)
        if (!node.locality.empty()) locality[rank] = node.locality;
    effects_.define(schedulable(), locality, usable());
}

void InstanceResources::report(std::uint32_t rank, NodeDescription node) {
    reports_[rank] = std::move(node);
    if (defined_ && method_ != by_discovery) return verify(rank, reports_[rank]);
    if (complete_ || reports_.size() >= hosts_.size()) discover();
}

void InstanceResources::complete() {
    complete_ = true;
    if (!defined_ && !reports_.empty()) discover();
}

/// R of all that was reported so far.
void InstanceResources::discover() {
    complete_ = true;
    ResourceSet R;
    for (const auto& [rank, node] : reports_)
        R.add({rank, rank < hosts_.size() ? hosts_[rank] : node.hostname, node.cores, node.gpus});
    if (defined_ && R == R_) return;  // a broker that came back as it was
    R_ = std::move(R);
    define(std::string{by_discovery});
}

void InstanceResources::verify(std::uint32_t rank, const NodeDescription& node) {
    const ResourceSet::Node* expected = R_.find(rank);
    if (method_ == by_parent && !config_.verify_given) return;
    if (config_.noverify || !expected || states_.drained().contains(rank)) return;
    const std::string fault = verify_node(*expected, node, config_.verify);
    // An excluded rank cannot be drained, and need not be.
    if (!fault.empty()) (void)drain(std::to_string(rank), fault, DrainMode::update);
}

/// Tells what became usable, or unusable, since `before`.
void InstanceResources::tell_usable(const Idset& before) {
    if (!defined_) return;
    const Idset now = usable();
    if (const Idset up = now - before; !up.empty()) effects_.up(up);
    if (const Idset down = before - now; !down.empty()) effects_.down(down);
}

void InstanceResources::set_online(const Idset& ranks) {
    const Idset before = usable();
    const Idset changed = states_.set_online(ranks);
    if (changed.empty()) return;
    add_event("online", idset_context(changed));
    tell_usable(before);
}

void InstanceResources::set_offline(const Idset& ranks) {
    const Idset before = usable();
    const Idset changed = states_.set_offline(ranks);
    if (changed.empty()) return;
    add_event("offline", idset_context(changed));
    tell_usable(before);
}

/// As the event says how far it went over what was there.
static int overwrite_number(DrainMode mode) {
    return mode == DrainMode::force_overwrite ? 2 : mode == DrainMode::overwrite ? 1 : 0;
}

JsonObject InstanceResources::drain_context(const Idset& ranks,
                                            const std::optional<std::string>& reason,
                                            DrainMode mode) const {
    JsonObject context = idset_context(ranks);
    Hostlist hosts;
    for (const std::uint32_t rank : ranks) {
        if (const ResourceSet::Node* node = R_.find(rank)) hosts.append(node->host);
        else if (rank < hosts_.size()) hosts.append(hosts_[rank]);
    }
    context["nodelist"] = hosts.to_string();
    if (reason) context["reason"] = *reason;
    context["overwrite"] = overwrite_number(mode);
    return context;
}

Result<void> InstanceResources::drain(std::string_view targets,
                                      const std::optional<std::string>& reason, DrainMode mode) {
    SLUICE_TRY(const Idset ranks, find_ranks(targets, defined_ ? R_ : bare_nodes(hosts_)));
    const Idset before = usable();
    SLUICE_CHECK(states_.drain(ranks, reason.value_or(""), mode, effects_.now()));
    add_event("drain", drain_context(ranks, reason, mode));
    tell_usable(before);
    return {};
}

Result<void> InstanceResources::undrain(std::string_view targets,
                                        const std::optional<std::string>& reason,
                                        DrainMode mode) {
    SLUICE_TRY(const Idset ranks, find_ranks(targets, defined_ ? R_ : bare_nodes(hosts_)));
    const Idset before = usable();
    SLUICE_CHECK(states_.undrain(ranks, mode != DrainMode::refuse));
    JsonObject context = drain_context(ranks, std::nullopt, mode);
    if (reason) context["reason"] = *reason;  // comes last here
    add_event("undrain", std::move(context));
    tell_usable(before);
    return {};
}

void InstanceResources::set_expiration(double expiration) {
    R_.expiration = expiration;
    JsonObject context;
    context["expiration"] = expiration;
    add_event("resource-update", std::move(context));
}

void InstanceResources::add_event(std::string_view name, JsonObject context,
                                  std::optional<Json> R) {
    effects_.event(log_.add(effects_.now(), name, std::move(context), std::move(R)));
}

JsonObject InstanceResources::status_json() const {
    const ResourceSet& known = R_;
    const Idset all = defined_ ? known.ranks() : bare_nodes(hosts_).ranks();
    JsonObject status;
    status["R"] = known.to_json();
    status["drain"] = states_.drain_json();
    status["online"] = (states_.online() & all).to_string();
    status["offline"] = (all - states_.online()).to_string();
    status["exclude"] = states_.excluded().to_string();
    status["torpid"] = "";
    return status;
}

}  // namespace sluice
