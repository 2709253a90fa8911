// The table of broker attributes (cli.md 4.5) and the checks of their values.
#include <algorithm>
#include <array>
#include <charconv>

#include "base/rfc/fsd.hpp"
#include "broker/config/attributes.hpp"
#include "broker/overlay/topology.hpp"

namespace sluice {
namespace {

constexpr unsigned C = attr_rule::command_line, T = attr_rule::runtime, I = attr_rule::immutable,
                   G = attr_rule::config;

Result<void> check_integer(std::string_view value, long long low, long long high) {
    long long number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error == std::errc{} && end == value.data() + value.size() && number >= low &&
        number <= high)
        return {};
    return fail(EINVAL, "'{}' is not a number from {} to {}", value, low, high);
}

/// -1: nothing at all.
Result<void> level(std::string_view value) {
    return check_integer(value, -1, 7);
}
Result<void> count(std::string_view value) {
    return check_integer(value, 0, 1 << 30);
}
Result<void> positive(std::string_view value) {
    return check_integer(value, 1, 1 << 30);
}

Result<void> file_name(std::string_view value) {
    if (!value.empty()) return {};
    return fail(EINVAL, "found an empty name; give a path, or leave it out for none");
}

Result<void> flag(std::string_view value) {
    if (value.empty()) return {};
    return check_integer(value, 0, 1);
}

Result<void> duration(std::string_view value) {
    const Result<double> seconds = fsd_parse(value);
    if (!seconds) return fail(EINVAL, "'{}' is not a duration such as 30s, 5m or 1h", value);
    return {};
}

Result<void> duration_or_none(std::string_view value) {
    return value == "none" ? Result<void>{} : duration(value);
}

Result<void> topo(std::string_view value) {
    const Result<TopologyKind> kind = TopologyKind::parse(value);
    return kind ? Result<void>{} : Result<void>{kind.error()};
}

Result<void> local_uri(std::string_view value) {
    if (value.starts_with("local:///")) return {};
    return fail(EINVAL, "'{}' is not local:// followed by an absolute path", value);
}

template <std::size_t N>
Result<void> one_of(std::string_view value, const std::array<std::string_view, N>& allowed) {
    if (std::ranges::find(allowed, value) != allowed.end()) return {};
    std::string choices;
    for (const std::string_view choice : allowed)
        choices += (choices.empty() ? "" : ", ") + std::string{choice};
    return fail(EINVAL, "'{}' is none of {}", value, choices);
}

Result<void> stderr_mode(std::string_view value) {
    return one_of(value, std::array<std::string_view, 2>{"leader", "local"});
}

Result<void> hash(std::string_view value) {
    return one_of(value, std::array<std::string_view, 2>{"sha1", "sha256"});
}

constexpr AttrRow rows[] = {
    {"broker.boot-method", C | I, nullptr, nullptr},
    {"broker.cleanup-timeout", C, "none", duration_or_none},
    {"broker.critical-ranks", C | I, nullptr, nullptr},
    {"broker.exit-norestart", C | I, nullptr, count},
    {"broker.exit-restart", T, nullptr, count},
    {"broker.join-timeout", C | I, nullptr, duration_or_none},  // ours
    {"broker.mapping", I, nullptr, nullptr},
    {"broker.module-nopanic", C | T, nullptr, flag},
    {"broker.pid", I, nullptr, nullptr},
    {"broker.quorum", C | I, nullptr, positive},
    {"broker.quorum-warn", C | I, "1m", duration_or_none},
    {"broker.rc1_path", C, "flux modprobe rc1", nullptr},
    {"broker.rc2_none", C, nullptr, nullptr},
    {"broker.rc2_pgrp", C, nullptr, nullptr},
    {"broker.rc3_path", C, "flux modprobe rc3", nullptr},
    {"broker.recovery-mode", C | I, nullptr, flag},
    {"broker.sd-notify", C | I, nullptr, nullptr},
    {"broker.sd-stop-timeout", C | I, "none", duration_or_none},
    {"broker.shutdown-timeout", C | I, "none", duration_or_none},
    {"broker.shutdown-warn", C | I, "1m", duration_or_none},
    {"broker.starttime", I, nullptr, nullptr},
    {"broker.unload-builtins-timeout", C, "1m", duration_or_none},
    {"broker.uuid", I, nullptr, nullptr},
    {"conf.shell_initrc", T, "", nullptr},
    {"conf.shell_pluginpath", T, "", nullptr},
    {"config.path", C, nullptr, nullptr},
    {"content.backing-module", C, "content-sqlite", nullptr},
    {"content.backing-path", C, nullptr, nullptr},
    {"content.dump", C | T, nullptr, nullptr},
    {"content.hash", C | I, "sha1", hash},
    {"content.restore", C | T, nullptr, nullptr},
    {"cron.directory", C, nullptr, nullptr},
    {"hostlist", C | I, nullptr, nullptr},
    {"hostname", C | I, nullptr, nullptr},
    {"instance-level", I, nullptr, nullptr},
    {"jobid", I, nullptr, nullptr},
    {"jobid-path", I, nullptr, nullptr},
    {"local-uri", C | I, nullptr, local_uri},
    {"log-critical-level", C | I, "2", level},
    {"log-filename", C, nullptr, file_name},
    {"log-forward-level", C | I, "3", level},
    {"log-level", C | I, "7", level},
    {"log-ring-size", C | I, "1024", count},
    {"log-stderr-level", C | T, "3", level},
    {"log-stderr-mode", C | I, "leader", stderr_mode},
    {"log-syslog-enable", C | I, "0", flag},
    {"log-syslog-level", C | I, "3", level},
    {"parent-kvs-namespace", I, nullptr, nullptr},
    {"parent-uri", I, nullptr, nullptr},
    {"rank", I, nullptr, nullptr},
    {"rundir", C, nullptr, nullptr},
    {"rundir-cleanup", C | I, nullptr, flag},
    {"security.owner", I, nullptr, nullptr},
    {"size", I, nullptr, nullptr},
    {"statedir", C, nullptr, nullptr},
    {"statedir-cleanup", C | I, nullptr, flag},
    {"tbon.child_rcvhwm", C | G, "0", count},
    {"tbon.connect_timeout", C | G, "30s", duration},
    {"tbon.descendants", 0, nullptr, nullptr},
    {"tbon.endpoint", 0, nullptr, nullptr},
    {"tbon.fanout", C, nullptr, count},
    {"tbon.interface-hint", C | G | I, "default-route", nullptr},
    {"tbon.level", 0, nullptr, nullptr},
    {"tbon.maxlevel", 0, nullptr, nullptr},
    {"tbon.parent-endpoint", 0, nullptr, nullptr},
    {"tbon.prefertcp", C, "0", flag},
    {"tbon.tcp_user_timeout", C | G, "20s", duration},
    {"tbon.topo", C | G, nullptr, topo},
    {"tbon.torpid_max", C | G, "30s", duration},
    {"tbon.torpid_min", C | G, "5s", duration},
    {"tbon.zmq_io_threads", C | G, "1", positive},
    {"tbon.zmqdebug", C | G, "0", count},
    {"test-im.*", C | I, nullptr, nullptr},
    {"test-nr.*", C, nullptr, nullptr},
    {"test-rd.*", C | T, nullptr, nullptr},
    {"test-ro.*", 0, nullptr, nullptr},
    {"test.*", C | T, nullptr, nullptr},
    {"vendor.*", C | T | I, nullptr, nullptr},
    {"version", 0, nullptr, nullptr},
};

}  // namespace

std::span<const AttrRow> attribute_rows() {
    return rows;
}

}  // namespace sluice
