#include "broker/lifecycle/bootstrap_plan.hpp"

#include <algorithm>
#include <unordered_map>

namespace sluice {
namespace {

constexpr std::int64_t port_max = 65535;

struct Defaults {
    std::int64_t port = 0;
    std::string bind, connect;
};

/// `text` with %h and %p replaced. Errors: EINVAL another % or a missing port.
Result<std::string> substitute(std::string_view key, std::string_view text,
                               const std::string& host, std::int64_t port) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        const char code = i + 1 < text.size() ? text[++i] : '\0';
        if (code == 'h') {
            out += host;
        } else if (code == 'p' && port > 0) {
            out += std::to_string(port);
        } else if (code == 'p') {
            return fail(EINVAL, "bootstrap.{} of host {}: %p needs bootstrap.default_port", key,
                        host);
        } else {
            return fail(EINVAL, "bootstrap.{} of host {}: '{}' may only hold %h and %p", key, host,
                        text);
        }
    }
    if (!out.starts_with("tcp://") && !out.starts_with("ipc://"))
        return fail(EINVAL, "bootstrap.{} of host {}: '{}' is neither tcp:// nor ipc://", key, host,
                    out);
    return out;
}

Error wrong_type(std::string_view key, std::string_view wanted, const Json& found) {
    return fail(EINVAL, "bootstrap.{}: found {}, wanted {}", key, json_type_name(found), wanted);
}

Result<std::string> text_member(const JsonObject& table, std::string_view key) {
    const Json* value = table.if_contains(key);
    if (!value) return std::string{};
    if (!value->is_string()) return wrong_type(key, "a string", *value);
    return std::string{value->get_string()};
}

Result<std::int64_t> port_member(const JsonObject& table) {
    const Json* value = table.if_contains("default_port");
    if (!value) return std::int64_t{0};
    const auto port = as_integer(*value);
    if (!port) return wrong_type("default_port", "a number", *value);
    if (*port < 1 || *port > port_max)
        return fail(EINVAL, "bootstrap.default_port: found {}, allowed 1 to {}", *port, port_max);
    return *port;
}

Result<void> check_keys(const JsonObject& table, std::string_view where,
                        std::initializer_list<std::string_view> known) {
    for (const auto& [key, value] : table)
        if (std::ranges::find(known, std::string_view{key}) == known.end())
            return fail(EINVAL, "{}.{}: unknown key", where, std::string_view{key});
    return {};
}

class Parser {
  public:
    explicit Parser(Defaults defaults) : defaults_(std::move(defaults)) {}

    Result<void> add(const Json& entry, std::size_t index) {
        const std::string where = fmt::format("bootstrap.hosts[{}]", index);
        if (!entry.is_object())
            return fail(EINVAL, "{}: found {}, wanted a table with a host", where,
                        json_type_name(entry));
        const JsonObject& table = entry.get_object();
        SLUICE_CHECK(check_keys(table, where, {"host", "bind", "connect", "parent"}));
        SLUICE_TRY(const std::string host, text_member(table, "host"));
        SLUICE_TRY(const std::string bind, text_member(table, "bind"));
        SLUICE_TRY(const std::string connect, text_member(table, "connect"));
        SLUICE_TRY(const std::string parent, text_member(table, "parent"));
        if (host.empty()) return fail(EINVAL, "{}: no host", where);
        const Result<Hostlist> names = Hostlist::parse(host);
        if (!names) return names.error().in(where + ".host");
        for (const std::string& name : names->hosts()) merge(name, {name, bind, connect, parent});
        return {};
    }

    Result<std::vector<HostPlan>> finish() {
        for (HostPlan& host : hosts_) {
            if (host.bind.empty()) host.bind = defaults_.bind;
            if (host.connect.empty()) host.connect = defaults_.connect;
            if (host.parent && host.parent->empty()) host.parent.reset();
            if (!host.bind.empty()) {
                SLUICE_TRY(host.bind, substitute("bind", host.bind, host.host, defaults_.port));
            }
            if (!host.connect.empty()) {
                SLUICE_TRY(host.connect,
                           substitute("connect", host.connect, host.host, defaults_.port));
            }
        }
        return std::move(hosts_);
    }

  private:
    void merge(const std::string& name, HostPlan entry) {
        const auto [found, added] = index_.emplace(name, hosts_.size());
        if (added) {
            hosts_.push_back(std::move(entry));
            return;
        }
        HostPlan& host = hosts_[found->second];
        if (host.bind.empty()) host.bind = entry.bind;
        if (host.connect.empty()) host.connect = entry.connect;
        if (!host.parent || host.parent->empty()) host.parent = entry.parent;
    }

    Defaults defaults_;
    std::vector<HostPlan> hosts_;
    std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace

Result<BootstrapPlan> BootstrapPlan::parse(const JsonObject& table) {
    BootstrapPlan plan;
    SLUICE_CHECK(check_keys(table, "bootstrap",
                            {"curve_cert", "default_port", "default_bind", "default_connect",
                             "enable_ipv6", "hosts"}));
    SLUICE_TRY(plan.curve_cert, text_member(table, "curve_cert"));
    if (const Json* ipv6 = table.if_contains("enable_ipv6")) {
        if (!ipv6->is_bool()) return wrong_type("enable_ipv6", "true or false", *ipv6);
        plan.enable_ipv6 = ipv6->get_bool();
    }
    Defaults defaults;
    SLUICE_TRY(defaults.port, port_member(table));
    SLUICE_TRY(defaults.bind, text_member(table, "default_bind"));
    SLUICE_TRY(defaults.connect, text_member(table, "default_connect"));
    Parser parser{std::move(defaults)};
    if (const Json* hosts = table.if_contains("hosts")) {
        if (!hosts->is_array()) return wrong_type("hosts", "an array of tables", *hosts);
        for (std::size_t i = 0; i < hosts->get_array().size(); ++i)
            SLUICE_CHECK(parser.add(hosts->get_array()[i], i));
    }
    SLUICE_TRY(plan.hosts, parser.finish());
    return plan;
}

Hostlist BootstrapPlan::hostlist() const {
    Hostlist list;
    for (const HostPlan& host : hosts) list.append(host.host);
    return list;
}

Result<Rank> BootstrapPlan::rank_of(std::string_view hostname) const {
    for (const std::string_view name : {hostname, hostname.substr(0, hostname.find('.'))}) {
        const auto found = std::ranges::find(hosts, name, &HostPlan::host);
        if (found != hosts.end())
            return Rank{static_cast<std::uint32_t>(found - hosts.begin())};
    }
    return fail(EINVAL, "{} not found in bootstrap.hosts; add it, or set the hostname attribute",
                hostname);
}

Result<Topology> BootstrapPlan::topology(TopologyKind kind) const {
    const auto size = static_cast<std::uint32_t>(hosts.size());
    if (kind.shape != TopologyKind::Shape::custom) return Topology(kind, size);
    std::vector<std::uint32_t> parents(size, 0);
    for (std::uint32_t rank = 1; rank < size; ++rank) {
        if (!hosts[rank].parent) continue;
        const auto parent = std::ranges::find(hosts, *hosts[rank].parent, &HostPlan::host);
        if (parent == hosts.end())
            return fail(EINVAL, "bootstrap.hosts: parent {} of host {} is not in hosts",
                        *hosts[rank].parent, hosts[rank].host);
        parents[rank] = static_cast<std::uint32_t>(parent - hosts.begin());
    }
    const Result<Topology> topology = Topology::from_parents(std::move(parents));
    return topology ? topology : topology.error().in("bootstrap.hosts");
}

}  // namespace sluice
