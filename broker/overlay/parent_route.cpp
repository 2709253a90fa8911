#include "broker/overlay/parent_route.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <string_view>

namespace sluice {

std::optional<NamedEndpoint> NamedEndpoint::parse(const std::string& endpoint) {
    constexpr std::string_view scheme = "tcp://";
    const std::size_t colon = endpoint.rfind(':');
    if (!endpoint.starts_with(scheme) || colon < scheme.size()) return std::nullopt;
    NamedEndpoint named{endpoint.substr(scheme.size(), colon - scheme.size()),
                        endpoint.substr(colon + 1)};
    in_addr address{};
    if (named.name.empty() || named.name.find_first_of("[];*") != std::string::npos ||
        ::inet_pton(AF_INET, named.name.c_str(), &address) == 1)
        return std::nullopt;
    return named;
}

std::optional<ParentRoute::Change> ParentRoute::on_addresses(
    const std::vector<std::string>& addresses) {
    if (addresses.empty()) return std::nullopt;
    const auto ours = std::ranges::find(addresses, address_);
    if (ours != addresses.end() && !silent_) return std::nullopt;
    const auto next = ours == addresses.end() || ours + 1 == addresses.end() ? addresses.begin()
                                                                              : ours + 1;
    if (*next == address_) return std::nullopt;
    Change change{.from = endpoint(), .to = {}};
    address_ = *next;
    silent_ = false;
    change.to = endpoint();
    return change;
}

}  // namespace sluice
