#include "broker/service/groups.hpp"

#include "broker/lifecycle/lifecycle.hpp"
#include "broker/parts.hpp"

namespace sluice {

const RpcTable<GroupsService> GroupsService::rpcs{
    {"join", Caller::owner, Body::json, &GroupsService::join},
    {"leave", Caller::owner, Body::json, &GroupsService::leave},
    {"get", Caller::user, Body::json, &GroupsService::get},
    {"update", Caller::owner, Body::json, &GroupsService::update},
};

namespace {

constexpr std::string_view online_group = "broker.online";

std::string name_of(const Request& request, const JsonObject& payload) {
    JsonReader in{payload};
    std::string name = in.string("name");
    if (!in) request.fail(in.error());
    return in ? name : std::string{};
}

}  // namespace

GroupsService::GroupsService(BrokerContext& context)
    : RpcService(context.router, "groups"), context_(context), rpc_(context.router) {
    context.groups = this;
}

void GroupsService::join(Request request, const JsonObject& payload) {
    if (!request.local())
        return request.fail(sluice::fail(EPERM, "groups.join is local to a broker"));
    const std::string name = name_of(request, payload);
    if (name.empty()) return;
    auto& members = clients_[name];
    if (!members.insert(std::string{request.sender()}).second)
        return request.fail(sluice::fail(EEXIST, "{}: already a member", name));
    if (members.size() == 1) change(name, Idset{context_.rank.value}, true, {});
    request.respond();
}

void GroupsService::leave(Request request, const JsonObject& payload) {
    if (!request.local())
        return request.fail(sluice::fail(EPERM, "groups.leave is local to a broker"));
    const std::string name = name_of(request, payload);
    if (name.empty()) return;
    const auto found = clients_.find(name);
    if (found == clients_.end() || !found->second.erase(std::string{request.sender()}))
        return request.fail(
            sluice::fail(ENOENT, "rank {} is not a member of {}", context_.rank, name));
    if (found->second.empty()) {
        clients_.erase(found);
        change(name, Idset{context_.rank.value}, false, {});
    }
    request.respond();
}

void GroupsService::on_disconnect(const Request& request) {
    const std::string sender{request.sender()};
    watchers_.disconnect(sender);
    std::vector<std::string> empty;
    for (auto& [name, members] : clients_)
        if (members.erase(sender) && members.empty()) empty.push_back(name);
    for (const std::string& name : empty) {
        clients_.erase(name);
        change(name, Idset{context_.rank.value}, false, {});
    }
}

void GroupsService::get(Request request, const JsonObject& payload) {
    if (context_.rank.value != 0)
        return request.fail(sluice::fail(EPROTO, "this RPC is only available on rank 0"));
    const std::string name = name_of(request, payload);
    if (name.empty()) return;
    request.respond(JsonObject{{"members", members_[name].to_string()}});
    if (request.streaming()) watchers_.add(std::move(request), name);
}

void GroupsService::update(Request, const JsonObject& payload) {
    JsonReader in{payload};
    const JsonObject& groups = in.object("update");
    if (!in) return;
    for (const auto& [name, list] : groups) {
        if (!list.is_array()) continue;
        for (const Json& entry : list.get_array()) {
            if (!entry.is_object()) continue;
            JsonReader item{entry.get_object()};
            const auto ranks = Idset::parse(item.string("ranks"));
            const bool set = item.boolean("set");
            const std::string reason = item.string_or("reason", "");
            if (item && ranks) change(std::string{name}, *ranks, set, reason);
        }
    }
}

void GroupsService::ranks_lost(const Idset& ranks, const std::string& reason) {
    for (const std::string& name : std::set<std::string>{lost_groups_})
        change(name, ranks, false, reason);
}

void GroupsService::change(const std::string& name, const Idset& ranks, bool set,
                           const std::string& reason) {
    lost_groups_.insert(name);
    if (pending_.empty()) context_.turn_end.post([this] { flush(); });
    auto& changes = pending_[name];
    if (!changes.empty() && changes.back().set == set && changes.back().reason == reason)
        changes.back().ranks |= ranks;
    else
        changes.push_back({ranks, set, reason});
}

void GroupsService::flush() {
    const auto changes = std::exchange(pending_, {});
    if (context_.rank.value != 0) return send_up(changes);
    for (const auto& [name, list] : changes)
        for (const Change& change : list) apply(name, change);
}

void GroupsService::send_up(const std::map<std::string, std::vector<Change>>& changes) {
    JsonObject groups;
    for (const auto& [name, list] : changes) {
        JsonArray entries;
        for (const Change& change : list) {
            JsonObject entry{{"ranks", change.ranks.to_string()}, {"set", change.set}};
            if (!change.reason.empty()) entry["reason"] = change.reason;
            entries.push_back(std::move(entry));
        }
        groups[name] = std::move(entries);
    }
    JsonObject payload;
    payload["update"] = std::move(groups);
    rpc_.call("groups.update", payload,
              {.nodeid = context_.rank.value, .upstream = true, .noresponse = true}, {});
}

void GroupsService::apply(const std::string& name, const Change& change) {
    Idset& members = members_[name];
    const Idset before = members;
    const Idset affected = change.set ? change.ranks - before : change.ranks & before;
    if (affected.empty()) return;
    if (change.set)
        members |= affected;
    else
        members -= affected;
    const Idset after = members;
    for (const auto& watcher : watchers_.entries())
        if (watcher.state == name)
            watcher.request.respond(JsonObject{{"members", after.to_string()}});
    if (name != online_group) return;
    if (change.set)
        context_.on_online(affected);
    else
        context_.on_lost(affected, change.reason);
    context_.lifecycle->online_changed(after);
}

Result<Part> make_groups(BrokerContext& context) {
    return Part{std::make_shared<GroupsService>(context)};
}

}  // namespace sluice
