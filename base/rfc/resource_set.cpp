// RFC 20 - see resource_set.hpp.
#include "base/rfc/resource_set.hpp"

#include <algorithm>
#include <unordered_map>

namespace sluice {
namespace {

constexpr std::size_t ranks_max = std::size_t{1} << 20;  // as many as a hostlist may have

Result<Idset> child_ids(const JsonObject& children, std::string_view type) {
    JsonReader in{children};
    const auto text = in.maybe_string(type);
    if (!in) return in.error().in("R_lite children");
    if (!text) return Idset{};
    auto ids = Idset::parse(*text);
    if (!ids) return ids.error().in(fmt::format("R_lite {}", type));
    return ids;
}

/// One R_lite entry: the nodes of its ranks, all with the same children.
Result<void> read_entry(const Json& value, std::size_t ranks_seen, ResourceSet& set) {
    if (!value.is_object())
        return fail(EPROTO, "R_lite: expected an object, found {}", json_type_name(value));
    JsonReader in{value.get_object()};
    const std::string ranks_text = in.string("rank");
    const JsonObject& children = in.object("children");
    if (!in) return in.error().in("R_lite");
    auto ranks = Idset::parse(ranks_text);
    if (!ranks) return ranks.error().in("R_lite rank");
    if (ranks->size() > ranks_max - std::min(ranks_max, ranks_seen))
        return fail(EINVAL, "R_lite: over {} ranks", ranks_max);
    SLUICE_TRY(const Idset cores, child_ids(children, "core"));
    SLUICE_TRY(const Idset gpus, child_ids(children, "gpu"));
    for (const std::uint32_t rank : *ranks) set.add({rank, {}, cores, gpus});
    return {};
}

Result<Hostlist> read_nodelist(const JsonArray& array) {
    Hostlist hosts;
    for (const Json& item : array) {
        if (!item.is_string())
            return fail(EPROTO, "nodelist: expected a string, found {}", json_type_name(item));
        auto part = Hostlist::parse(item.get_string());
        if (!part) return part.error().in("nodelist");
        hosts.append(*part);
    }
    return hosts;
}

Result<std::map<std::string, Idset>> read_properties(const JsonObject& object) {
    std::map<std::string, Idset> properties;
    for (const auto& member : object) {
        if (!member.value().is_string())
            return fail(EPROTO, "properties {}: expected a string, found {}",
                        std::string_view{member.key()}, json_type_name(member.value()));
        auto ranks = Idset::parse(member.value().get_string());
        if (!ranks) return ranks.error().in("properties");
        properties.emplace(member.key(), *std::move(ranks));
    }
    return properties;
}

/// Nodes with the same children, for one R_lite entry.
struct Group {
    const ResourceSet::Node* like;
    Idset ranks;
};

std::vector<Group> group_by_children(const std::vector<ResourceSet::Node>& nodes) {
    std::vector<Group> groups;
    std::unordered_map<std::string, std::size_t> known;
    std::size_t last = 0;
    for (const auto& node : nodes) {
        const bool as_last = !groups.empty() && groups[last].like->cores == node.cores &&
                             groups[last].like->gpus == node.gpus;
        if (!as_last) {  // neighbours are mostly alike, so the key is seldom needed
            const std::string key = node.cores.to_string() + '/' + node.gpus.to_string();
            last = known.try_emplace(key, groups.size()).first->second;
            if (last == groups.size()) groups.push_back({&node, {}});
        }
        groups[last].ranks.insert(node.rank);
    }
    return groups;
}

JsonArray r_lite(const std::vector<ResourceSet::Node>& nodes) {
    JsonArray entries;
    for (const Group& group : group_by_children(nodes)) {
        JsonObject children;
        if (!group.like->gpus.empty()) children["gpu"] = group.like->gpus.to_string();
        if (!group.like->cores.empty()) children["core"] = group.like->cores.to_string();
        JsonObject entry;
        entry["rank"] = group.ranks.to_string();
        entry["children"] = std::move(children);
        entries.emplace_back(std::move(entry));
    }
    return entries;
}

/// Properties of those ranks only; one without ranks left is dropped.
std::map<std::string, Idset> restricted(const std::map<std::string, Idset>& properties,
                                        const Idset& ranks) {
    std::map<std::string, Idset> kept;
    for (const auto& [name, holders] : properties)
        if (Idset both = holders & ranks; !both.empty()) kept.emplace(name, std::move(both));
    return kept;
}

}  // namespace

Result<ResourceSet> ResourceSet::parse(std::string_view text) {
    auto object = parse_json_object(text);
    if (!object) return object.error().in("R");
    return from_json(*object);
}

Result<ResourceSet> ResourceSet::from_json(const JsonObject& object) {
    ResourceSet set;
    JsonReader top{object};
    const std::int64_t version = top.integer("version");
    JsonReader in{top.object("execution")};
    if (!top) return top.error().in("R");
    if (version != 1) return fail(EINVAL, "R: version {}, expected 1", version);
    const JsonArray& entries = in.array("R_lite");
    set.starttime = in.number_or("starttime", 0);
    set.expiration = in.number_or("expiration", 0);
    if (in && object.at("execution").get_object().contains("nslots"))
        set.nslots = in.integer("nslots");
    const JsonArray* nodelist = in.maybe_array("nodelist");
    const JsonObject* properties = in.maybe_object("properties");
    if (!in) return in.error().in("R");
    for (const Json& entry : entries) SLUICE_CHECK(read_entry(entry, set.nodes_.size(), set));
    if (nodelist) {
        SLUICE_TRY(const Hostlist hosts, read_nodelist(*nodelist));
        if (!hosts.empty() && hosts.size() != set.nodes_.size())
            return fail(EINVAL, "R: nodelist has {} hosts for {} ranks", hosts.size(),
                        set.nodes_.size());
        for (std::size_t i = 0; i < hosts.size(); ++i) set.nodes_[i].host = hosts[i];
    }
    if (properties) {
        SLUICE_TRY(set.properties, read_properties(*properties));
    }
    if (const Json* scheduling = object.if_contains("scheduling")) set.scheduling = *scheduling;
    return set;
}

JsonObject ResourceSet::to_json() const {
    JsonObject execution;
    execution["R_lite"] = r_lite(nodes_);
    execution["starttime"] = starttime;
    execution["expiration"] = expiration;
    execution["nodelist"].emplace_array().emplace_back(nodelist().to_string());
    if (nslots) execution["nslots"] = *nslots;
    if (!properties.empty()) {
        JsonObject& object = execution["properties"].emplace_object();
        for (const auto& [name, holders] : properties) object[name] = holders.to_string();
    }
    JsonObject object;
    object["version"] = 1;
    object["execution"] = std::move(execution);
    if (scheduling) object["scheduling"] = *scheduling;
    return object;
}

std::string ResourceSet::to_string() const { return dump_json(to_json()); }

std::string ResourceSet::Node::children() const {
    std::string text;
    if (!cores.empty()) text += "core" + cores.to_bracketed();
    if (!gpus.empty()) text += (text.empty() ? "gpu" : ",gpu") + gpus.to_bracketed();
    return text;
}

std::string ResourceSet::to_short() const {
    std::string text;
    for (const Group& group : group_by_children(nodes_))
        text += fmt::format("{}rank{}/{}", text.empty() ? "" : " ", group.ranks.to_bracketed(),
                            group.like->children());
    return text;
}

const ResourceSet::Node* ResourceSet::find(std::uint32_t rank) const {
    const auto found = std::ranges::lower_bound(nodes_, rank, {}, &Node::rank);
    return found != nodes_.end() && found->rank == rank ? &*found : nullptr;
}

Idset ResourceSet::ranks() const {
    Idset ranks;
    for (const Node& node : nodes_) ranks.insert(node.rank);
    return ranks;
}

Hostlist ResourceSet::nodelist() const {
    Hostlist hosts;
    for (const Node& node : nodes_)
        if (!node.host.empty()) hosts.append(node.host);
    return hosts;
}

std::size_t ResourceSet::core_count() const {
    std::size_t count = 0;
    for (const Node& node : nodes_) count += node.cores.size();
    return count;
}

std::size_t ResourceSet::gpu_count() const {
    std::size_t count = 0;
    for (const Node& node : nodes_) count += node.gpus.size();
    return count;
}

void ResourceSet::add(Node node) {
    if (nodes_.empty() || nodes_.back().rank < node.rank) {
        nodes_.push_back(std::move(node));
        return;
    }
    const auto at = std::ranges::lower_bound(nodes_, node.rank, {}, &Node::rank);
    if (at == nodes_.end() || at->rank != node.rank) {
        nodes_.insert(at, std::move(node));
        return;
    }
    at->cores |= node.cores;
    at->gpus |= node.gpus;
    if (at->host.empty()) at->host = std::move(node.host);
}

ResourceSet ResourceSet::only_ranks(const Idset& ranks) const {
    ResourceSet set;
    for (const Node& node : nodes_)
        if (ranks.contains(node.rank)) set.nodes_.push_back(node);
    set.starttime = starttime;
    set.expiration = expiration;
    set.properties = restricted(properties, set.ranks());
    return set;
}

ResourceSet ResourceSet::without_ranks(const Idset& ranks) const {
    return only_ranks(this->ranks() - ranks);
}

ResourceSet operator|(const ResourceSet& a, const ResourceSet& b) {
    ResourceSet set = a;
    for (const auto& node : b.nodes_) set.add(node);
    for (const auto& [name, holders] : b.properties) set.properties[name] |= holders;
    set.nslots.reset();
    set.scheduling.reset();
    return set;
}

ResourceSet operator-(const ResourceSet& a, const ResourceSet& b) {
    ResourceSet set;
    for (const auto& node : a.nodes_) {
        const auto* other = b.find(node.rank);
        auto left = node;
        if (other) {
            left.cores -= other->cores;
            left.gpus -= other->gpus;
        }
        if (!other || !left.cores.empty() || !left.gpus.empty())
            set.nodes_.push_back(std::move(left));
    }
    set.starttime = a.starttime;
    set.expiration = a.expiration;
    set.properties = restricted(a.properties, set.ranks());
    return set;
}

ResourceSet operator&(const ResourceSet& a, const ResourceSet& b) {
    ResourceSet set;
    for (const auto& node : a.nodes_) {
        const auto* other = b.find(node.rank);
        if (!other) continue;
        ResourceSet::Node both{node.rank, node.host, node.cores & other->cores,
                               node.gpus & other->gpus};
        if (!both.cores.empty() || !both.gpus.empty()) set.nodes_.push_back(std::move(both));
    }
    set.starttime = a.starttime;
    set.expiration = a.expiration;
    set.properties = restricted(a.properties, set.ranks());
    return set;
}

}  // namespace sluice
