#include "broker/overlay/interface.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <unistd.h>

#include <charconv>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <vector>

namespace sluice {
namespace {

struct Interface {
    std::string name, address;
    in_addr_t number = 0;
};

std::string address_text(const sockaddr_in& address) {
    char text[INET_ADDRSTRLEN] = {};
    ::inet_ntop(AF_INET, &address.sin_addr, text, sizeof text);
    return text;
}

std::vector<Interface> interfaces() {
    ifaddrs* head = nullptr;
    std::vector<Interface> found;
    if (::getifaddrs(&head) != 0) return found;
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(head, ::freeifaddrs);
    for (const ifaddrs* entry = head; entry; entry = entry->ifa_next) {
        if (!entry->ifa_addr || entry->ifa_addr->sa_family != AF_INET) continue;
        if (!(entry->ifa_flags & IFF_UP)) continue;
        const auto& address = reinterpret_cast<const sockaddr_in&>(*entry->ifa_addr);
        found.push_back({entry->ifa_name, address_text(address), address.sin_addr.s_addr});
    }
    return found;
}

/// Name of the interface of the default route, from the kernel's table.
std::string default_route() {
    std::ifstream table("/proc/net/route");
    std::string line;
    while (std::getline(table, line)) {
        std::istringstream fields(line);
        std::string name, destination;
        fields >> name >> destination;
        if (destination == "00000000") return name;
    }
    return {};
}

std::optional<std::string> hostname_address() {
    char name[256] = {};
    ::gethostname(name, sizeof name - 1);
    addrinfo hints{};
    hints.ai_family = AF_INET;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (::getaddrinfo(name, nullptr, &hints, &found) != 0) return std::nullopt;
    const std::string address = address_text(reinterpret_cast<const sockaddr_in&>(*found->ai_addr));
    ::freeaddrinfo(found);
    return address;
}

std::optional<std::string> find_interface(const std::vector<Interface>& all,
                                          const std::string& name) {
    for (const Interface& interface : all)
        if (interface.name == name) return interface.address;
    return std::nullopt;
}

std::optional<std::string> find_network(const std::vector<Interface>& all,
                                        const std::string& network) {
    const std::size_t slash = network.find('/');
    in_addr base{};
    unsigned bits = 0;
    const char* const end = network.data() + network.size();
    if (::inet_pton(AF_INET, network.substr(0, slash).c_str(), &base) != 1 ||
        std::from_chars(network.data() + slash + 1, end, bits).ptr != end || bits > 32)
        return std::nullopt;
    const in_addr_t mask = bits == 0 ? 0 : htonl(~std::uint32_t{0} << (32 - bits));
    for (const Interface& interface : all)
        if ((interface.number & mask) == (base.s_addr & mask)) return interface.address;
    return std::nullopt;
}

std::string interface_names(const std::vector<Interface>& all) {
    std::string names;
    for (const Interface& interface : all) names += (names.empty() ? "" : ", ") + interface.name;
    return names;
}

}  // namespace

Result<void> check_bind_endpoint(const std::string& endpoint) {
    constexpr std::string_view scheme = "tcp://";
    if (!endpoint.starts_with(scheme)) return {};
    const std::string host =
        endpoint.substr(scheme.size(), endpoint.rfind(':') - scheme.size());
    in_addr address{};
    if (host == "*" || host.starts_with('[') || ::inet_pton(AF_INET, host.c_str(), &address) == 1 ||
        ::if_nametoindex(host.c_str()) != 0)
        return {};
    return fail(ENODEV, "bind {}: this host has no interface '{}'; it has {}", endpoint, host,
                interface_names(interfaces()));
}

Result<std::string> interface_address(const std::string& hint) {
    const std::vector<Interface> all = interfaces();
    if (hint == "default-route" || hint == "hostname") {
        const auto by_route = find_interface(all, default_route());
        const auto by_name = hint == "hostname" || !by_route ? hostname_address() : std::nullopt;
        if (by_name) return *by_name;
        return by_route.value_or("127.0.0.1");
    }
    const auto found = hint.find('/') == std::string::npos ? find_interface(all, hint)
                                                           : find_network(all, hint);
    if (found) return *found;
    return fail(ENODEV, "tbon.interface-hint: no interface matches '{}'; there are {}", hint,
                interface_names(all));
}

}  // namespace sluice
