// What `flux hostlist` does with lists of hosts. Pure. Lists are ordered and may repeat a host.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.hpp"
#include "base/rfc/hostlist.hpp"

namespace sluice {

/// Hosts of `a` that `b` has too, each once.
Hostlist hosts_in_both(const Hostlist& a, const Hostlist& b);
/// `a` less one occurrence for each host of `b`.
Hostlist hosts_without(Hostlist a, const Hostlist& b);
/// Hosts that only one of the two has, each once, those of `a` first.
Hostlist hosts_in_one(const Hostlist& a, const Hostlist& b);
/// Without hosts (all occurrences) or indices: `text` is an idset or a host list.
Result<Hostlist> hosts_excluding(const Hostlist& list, std::string_view text);
/// The first `limit` hosts, or the last ones when it is negative.
Hostlist hosts_limited(const Hostlist& list, std::int64_t limit);
/// Hosts at "IDS", or at "-IDS" from the end, in list order.
/// Errors: EINVAL "Hostlist index out of range".
Result<Hostlist> hosts_at(const Hostlist& list, std::string_view ids);

}  // namespace sluice
