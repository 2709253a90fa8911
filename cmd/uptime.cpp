// flux uptime: state and age of the instance, owner, depth, size, nodes and queues out of service.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <ctime>

#include "base/rfc/fsd.hpp"
#include "base/rfc/idset.hpp"
#include "cmd/cli.hpp"
#include "cmd/client.hpp"
#include "cmd/commands.hpp"
#include "cmd/format/uptime_text.hpp"
#include "cmd/instance.hpp"

namespace sluice {
namespace {

constexpr RpcOptions lead{.nodeid = 0};

std::string local_time() {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    ::localtime_r(&now, &local);
    return fmt::format("{:02}:{:02}:{:02}", local.tm_hour, local.tm_min, local.tm_sec);
}

Result<double> seconds_since_start(Handle& flux) {
    SLUICE_TRY(const JsonObject reply, flux.call("attr.get", {{"name", "broker.starttime"}}, lead));
    JsonReader in{reply};
    const std::string text = in.string("value");
    if (!in) return in.error();
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration<double>(now).count() - std::strtod(text.c_str(), nullptr);
}

/// Nodes drained, by resource.status; none when there is no resource service.
Result<std::size_t> drained_nodes(Handle& flux) {
    const auto reply = flux.call("resource.status", {}, lead);
    if (!reply) return std::size_t{0};
    JsonReader in{*reply};
    Idset drained;
    for (const auto& [ranks, details] : in.object("drain")) {
        SLUICE_TRY(const Idset ids, Idset::parse(std::string_view{ranks}));
        drained |= ids;
    }
    if (!in) return in.error();
    return drained.size();
}

Result<std::size_t> online_nodes(Handle& flux) {
    SLUICE_TRY(const JsonObject reply, flux.call("groups.get", {{"name", "broker.online"}}, lead));
    JsonReader in{reply};
    const std::string members = in.string("members");
    if (!in) return in.error();
    SLUICE_TRY(const Idset ids, Idset::parse(members));
    return ids.size();
}

/// Whether all queues are disabled, and whether all are stopped.
Result<void> read_queues(Handle& flux, UptimeFacts& facts) {
    const auto queues = flux.call("job-manager.queue-list", {}, lead);
    if (!queues) return {};  // an instance without job manager
    JsonReader in{*queues};
    std::vector<JsonObject> requests;
    for (const Json& name : in.array("queues")) {
        JsonObject request;
        request["name"] = name;
        requests.push_back(std::move(request));
    }
    if (!in) return in.error();
    if (requests.empty()) requests.emplace_back();
    facts.submit_disabled = facts.scheduler_stopped = true;
    for (const JsonObject& request : requests) {
        SLUICE_TRY(const JsonObject status, flux.call("job-manager.queue-status", request, lead));
        JsonReader queue{status};
        if (queue.boolean("enable")) facts.submit_disabled = false;
        if (queue.boolean("start")) facts.scheduler_stopped = false;
        if (!queue) return queue.error();
    }
    return {};
}

Result<UptimeFacts> gather(Handle& flux) {
    UptimeFacts facts{.time = local_time()};
    SLUICE_TRY(const std::string owner, flux.attr("security.owner"));
    facts.owner = user_name(UserId{static_cast<std::uint32_t>(std::atol(owner.c_str()))});
    SLUICE_TRY(facts.size, flux.size());
    SLUICE_TRY(facts.depth, flux.attr("instance-level"));
    SLUICE_TRY(const JsonObject state, flux.call("state-machine.get"));
    JsonReader in{state};
    facts.state = in.string("state");
    facts.seconds = in.number("duration");
    if (!in) return in.error();
    if (facts.state != "run") return facts;
    SLUICE_TRY(facts.seconds, seconds_since_start(flux));
    SLUICE_TRY(facts.drained, drained_nodes(flux));
    SLUICE_TRY(const std::size_t online, online_nodes(flux));
    facts.offline = facts.size > online ? facts.size - online : 0;
    SLUICE_CHECK(read_queues(flux, facts));
    return facts;
}

}  // namespace

int cmd_uptime(int argc, char** argv) {
    Cli cli("flux-uptime", CliStyle::c_tool, "", "Show how long the instance has been running.");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (!cli.words().empty()) return cli.usage_error("no words are expected");
    auto flux = open_builtin();
    if (!flux) return 1;
    const auto facts = gather(*flux);
    if (!facts) return cli.error(facts.error().text());
    fmt::print("{}", uptime_text(*facts));
    return 0;
}

}  // namespace sluice
