#include "cmd/options/hostlist_algebra.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/rfc/idset.hpp"

namespace sluice {
namespace {

using Names = std::unordered_set<std::string>;

Names names_of(const Hostlist& list) { return {list.hosts().begin(), list.hosts().end()}; }

/// Appends the hosts of `from` that `keep` wants, each once.
template <class Keep>
void append_once(const Hostlist& from, Hostlist& to, Keep keep) {
    Names seen;
    for (const std::string& host : from.hosts())
        if (keep(host) && seen.insert(host).second) to.append(host);
}

}  // namespace

Hostlist hosts_in_both(const Hostlist& a, const Hostlist& b) {
    const Names other = names_of(b);
    Hostlist result;
    append_once(a, result, [&](const std::string& host) { return other.contains(host); });
    return result;
}

Hostlist hosts_without(Hostlist a, const Hostlist& b) {
    std::unordered_map<std::string, std::size_t> to_drop;
    for (const std::string& host : b.hosts()) ++to_drop[host];
    Hostlist result;
    for (const std::string& host : a.hosts()) {
        const auto found = to_drop.find(host);
        if (found == to_drop.end() || found->second == 0) {
            result.append(host);
        } else {
            --found->second;
        }
    }
    return result;
}

Hostlist hosts_in_one(const Hostlist& a, const Hostlist& b) {
    const Names in_a = names_of(a), in_b = names_of(b);
    Hostlist result;
    append_once(a, result, [&](const std::string& host) { return !in_b.contains(host); });
    append_once(b, result, [&](const std::string& host) { return !in_a.contains(host); });
    result.sort();
    return result;
}

Result<Hostlist> hosts_excluding(const Hostlist& list, std::string_view text) {
    Hostlist result;
    if (const auto indices = Idset::parse(text)) {
        for (std::size_t i = 0; i < list.size(); ++i)
            if (!indices->contains(static_cast<Idset::Id>(i))) result.append(list[i]);
        return result;
    }
    SLUICE_TRY(const Hostlist excluded, Hostlist::parse(text));
    const Names names = names_of(excluded);
    for (const std::string& host : list.hosts())
        if (!names.contains(host)) result.append(host);
    return result;
}

Hostlist hosts_limited(const Hostlist& list, std::int64_t limit) {
    const auto& hosts = list.hosts();
    const auto size = static_cast<std::int64_t>(hosts.size());
    const std::int64_t from = limit < 0 ? std::max<std::int64_t>(0, size + limit) : 0;
    const std::int64_t to = limit < 0 ? size : std::min(size, limit);
    return Hostlist{{hosts.begin() + from, hosts.begin() + to}};
}

Result<Hostlist> hosts_at(const Hostlist& list, std::string_view ids) {
    const bool from_end = ids.starts_with('-');
    SLUICE_TRY(const Idset indices, Idset::parse(from_end ? ids.substr(1) : ids));
    const std::size_t size = list.size();
    const bool fits = indices.empty() || (from_end ? indices.first() > 0 && indices.last() <= size
                                                   : indices.last() < size);
    if (!fits) return fail(EINVAL, "Hostlist index out of range");
    std::vector<std::string> hosts;
    for (const Idset::Id index : indices)
        hosts.push_back(list[from_end ? size - index : index]);
    if (from_end) std::ranges::reverse(hosts);
    return Hostlist{std::move(hosts)};
}

}  // namespace sluice
