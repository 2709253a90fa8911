// flux job taskmap: where the tasks of a job run (RFC 34), and conversions of taskmaps.
#include "base/rfc/taskmap.hpp"

#include <fmt/format.h>

#include "base/rfc/resource_set.hpp"
#include "cmd/client.hpp"
#include "cmd/job/job_commands.hpp"

namespace sluice {

namespace {

constexpr CliStyle style = CliStyle::c_tool;

struct TaskmapOptions {
    std::int64_t taskids = -1, ntasks = -1, nodeid = -1, hostname = -1;
    std::string to;
};

/// The map that the job's shell published when the tasks started.
Result<Taskmap> taskmap_of_job(Handle& flux, JobId id) {
    std::optional<Result<Taskmap>> map;
    const auto watched = watch_eventlog(
        flux, {id, "guest.exec.eventlog", false}, std::nullopt, [&](const std::string& line) {
            const auto event = decode_event(line);
            if (!event || event->name != "shell.start") return Watch::go_on;
            const Json* value = event->context.if_contains("taskmap");
            map = value ? Taskmap::from_json(*value)
                        : Result<Taskmap>{fail(EPROTO, "no taskmap in shell.start event")};
            return Watch::stop;
        });
    if (map) return *map;
    if (!watched && watched.error().errnum() == ENOENT) return fail(ENOENT, "no such job");
    if (!watched) return watched.error();
    return fail(ENOENT, "no taskmap found");
}

Result<Hostlist> hosts_of_job(Handle& flux, JobId id) {
    JsonObject request;
    request["id"] = id.value;
    request["keys"] = JsonArray{Json("R")};
    request["flags"] = 0;
    SLUICE_TRY(const JsonObject reply, flux.call("job-info.lookup", request));
    JsonReader in{reply};
    const std::string text = in.string("R");
    if (!in) return in.error();
    SLUICE_TRY(const ResourceSet resources, ResourceSet::parse(text));
    return resources.nodelist();
}

Result<std::string> node_host(const Hostlist& hosts, std::uint32_t nodeid) {
    if (nodeid >= hosts.size()) return fail(ENOENT, "no host for node {}", nodeid);
    return hosts[nodeid];
}

Result<std::string> converted(const Taskmap& map, const std::string& to, const Hostlist& hosts) {
    if (to.empty()) return map.to_string();
    if (to == "pmi") return map.to_pmi();
    std::string out;
    if (to == "multiline") {
        for (std::uint32_t task = 0; task < map.task_count(); ++task) {
            SLUICE_TRY(const std::uint32_t node, map.nodeid(task));
            out += fmt::format("{}{}: {}", task ? "\n" : "", task, node);
        }
        return out;
    }
    if (to != "raw" && to != "hosts")
        return fail(EINVAL, "invalid value --to={}; use raw, pmi, multiline or hosts", to);
    for (std::uint32_t node = 0; node < map.node_count(); ++node) {
        const std::string ids = map.task_ids(node).to_string();
        if (to == "raw") {
            out += (node ? ";" : "") + ids;
        } else {
            SLUICE_TRY(const std::string host, node_host(hosts, node));
            out += fmt::format("{}{}: {}", node ? "\n" : "", host, ids);
        }
    }
    return out;
}

Result<std::string> answer(const TaskmapOptions& options, const Taskmap& map,
                           const Hostlist& hosts) {
    const auto node_ids = [&](std::int64_t node) -> Result<Idset> {
        if (node >= map.node_count()) return fail(ENOENT, "No taskids for node {}", node);
        return map.task_ids(static_cast<std::uint32_t>(node));
    };
    if (options.taskids >= 0) {
        SLUICE_TRY(const Idset ids, node_ids(options.taskids));
        return ids.to_string();
    }
    if (options.ntasks >= 0) {
        SLUICE_TRY(const Idset ids, node_ids(options.ntasks));
        return std::to_string(ids.size());
    }
    const std::int64_t task = options.nodeid >= 0 ? options.nodeid : options.hostname;
    if (task < 0) return converted(map, options.to, hosts);
    const auto node = map.nodeid(static_cast<std::uint32_t>(task));
    if (!node) return fail(ENOENT, "No node for task {}", task);
    if (options.nodeid >= 0) return std::to_string(*node);
    return node_host(hosts, *node);
}

}  // namespace

int job_taskmap(int argc, char** argv) {
    Cli cli{"flux-job taskmap", style, "[OPTIONS] ID|MAP", "Print or convert a taskmap."};
    TaskmapOptions options;
    cli.option("--taskids=NODE", integer_into(options.taskids), "print the task ids on a node");
    cli.option("--ntasks=NODE", integer_into(options.ntasks),
               "print the number of tasks on a node");
    cli.option("--nodeid=TASK", integer_into(options.nodeid), "print the node of a task");
    cli.option("--hostname=TASK", integer_into(options.hostname), "print the host of a task");
    cli.option("--to=FORM", options.to, "raw, pmi, multiline or hosts");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() != 1) return cli.usage_error("wants a job id or a taskmap");
    const std::string& word = cli.words().front();
    const bool needs_hosts = options.hostname >= 0 || options.to == "hosts";
    const auto id = jobid_argument(word, style);
    Result<Taskmap> map = id ? Result<Taskmap>{Taskmap{}} : Taskmap::parse(word);
    Hostlist hosts;
    if (id) {
        auto flux = open_flux(cli, style);
        if (!flux) return 1;
        map = taskmap_of_job(*flux, *id);
        if (!map) return cli.error("Unable to get job taskmap: " + map.error().text());
        if (needs_hosts) {
            const auto found = hosts_of_job(*flux, *id);
            if (!found) return cli.error("Unable to get hostlist for job: " + found.error().text());
            hosts = *found;
        }
    } else if (map && needs_hosts) {
        return cli.error("can't convert a taskmap to hosts without a job id");
    }
    if (!map) return cli.error("error parsing taskmap: " + map.error().text());
    const auto text = answer(options, *map, hosts);
    if (!text) return cli.error(text.error().text());
    fmt::print("{}\n", *text);
    return 0;
}

}  // namespace sluice
