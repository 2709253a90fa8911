#include "resource/topology_config.hpp"

#include <map>
#include <set>
#include <string_view>

#include "base/rfc/group_types.hpp"

namespace sluice {
namespace {

Result<TopologyGroup> read_group(const JsonObject& entry) {
    for (const auto& member : entry)
        if (member.key() != "type" && member.key() != "name" && member.key() != "hosts")
            return fail(EINVAL, "{}: unknown key; use type, name and hosts",
                        std::string_view{member.key()});
    JsonReader in{entry};
    TopologyGroup group{in.string("type"), in.string("name"), {}};
    const std::string hosts = in.string("hosts");
    if (!in) return in.error();
    if (!is_group_type(group.type))
        return fail(EINVAL, "type: found '{}'; use one of {}", group.type,
                    fmt::join(group_types, ", "));
    if (group.name.empty()) return fail(EINVAL, "name: empty; give each group its own");
    auto list = Hostlist::parse(hosts);
    if (!list || list->empty())
        return fail(EINVAL, "hosts: '{}' is no hostlist; write it as in node[0-15]", hosts);
    group.hosts = *std::move(list);
    return group;
}

}  // namespace

Result<SiteTopology> read_topology(const JsonArray& entries) {
    SiteTopology topology;
    std::set<std::pair<std::string, std::string>> names;
    std::map<std::pair<std::string, std::string>, std::string> group_of_host;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const std::string where = fmt::format("resource.topology[{}]", i);
        if (!entries[i].is_object()) return fail(EINVAL, "{}: not a table", where);
        auto group = read_group(entries[i].get_object());
        if (!group) return fail(EINVAL, "{}: {}", where, group.error().text());
        if (!names.emplace(group->type, group->name).second)
            return fail(EINVAL, "{}: a second {} '{}'; name all hosts in one", where, group->type,
                        group->name);
        for (const std::string& host : group->hosts.hosts()) {
            const auto [other, is_new] =
                group_of_host.try_emplace({group->type, host}, group->name);
            if (!is_new)
                return fail(EINVAL, "{}: host {} is in {} '{}' already; a host is in one {}", where,
                            host, group->type, other->second, group->type);
        }
        topology.push_back(*std::move(group));
    }
    return topology;
}

Result<SiteTopology> topology_of_config(const JsonObject& config) {
    JsonReader in{config};
    const JsonObject* resource = in.maybe_object("resource");
    if (!in) return in.error();
    if (!resource || !resource->contains("topology")) return SiteTopology{};
    const Json& entries = resource->at("topology");
    if (!entries.is_array())
        return fail(EINVAL, "resource.topology: found {}; write [[resource.topology]]",
                    json_type_name(entries));
    return read_topology(entries.get_array());
}

}  // namespace sluice
