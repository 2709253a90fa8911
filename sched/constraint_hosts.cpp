#include "sched/constraint_hosts.hpp"

#include <unordered_set>

#include "base/rfc/hostlist.hpp"

namespace sluice {
namespace {

using Hosts = std::unordered_set<std::string>;

Result<void> check_list(const JsonArray& lists, const Hosts& known) {
    for (const Json& text : lists) {
        if (!text.is_string()) continue;  // the constraint's own decoder complains of it
        const auto hosts = Hostlist::parse(text.get_string());
        if (!hosts) continue;
        for (const std::string& host : hosts->hosts())
            if (!known.contains(host))
                return fail(EINVAL,
                            "host constraint contains invalid hosts: host '{}' not found", host);
    }
    return {};
}

Result<void> check(const Json& term, const Hosts& known) {
    if (!term.is_object()) return {};
    for (const auto& member : term.get_object()) {
        if (!member.value().is_array()) continue;
        const JsonArray& values = member.value().get_array();
        if (member.key() == "hostlist") {
            SLUICE_CHECK(check_list(values, known));
            continue;
        }
        // Operators (and, or, not) hold terms; what other keys hold is no object.
        for (const Json& value : values) SLUICE_CHECK(check(value, known));
    }
    return {};
}

}  // namespace

Result<void> check_constraint_hosts(const Json& constraint, const ResourceSet& R) {
    Hosts known;
    for (const ResourceSet::Node& node : R.nodes()) known.insert(node.host);
    return check(constraint, known);
}

}  // namespace sluice
