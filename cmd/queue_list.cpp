#include "cmd/queue_list.hpp"

#include <cstdlib>

#include "base/rfc/resource_set.hpp"
#include "base/words.hpp"
#include "cmd/client.hpp"
#include "cmd/format/queue_fields.hpp"
#include "cmd/table_output.hpp"

namespace sluice {

namespace {

constexpr CliStyle style = CliStyle::python_tool;

FormatCatalog queue_formats() {
    const std::string marks =
        "?:{queuem:<8.8} {color_enabled}{enabled:>2}{color_off} "
        "{color_started}{started:>2}{color_off} ";
    const std::string times = "{defaults.timelimit!F:>8} {limits.timelimit!F:>8} ";
    return {"flux-queue list",
            "flux-queue",
            "list",
            "FLUX_QUEUE_LIST_FORMAT_DEFAULT",
            {{"default", "Default flux-queue list format string",
              marks + times +
                  "{limits.range.effective.nnodes:>10} {limits.range.effective.ncores:>10} "
                  "{limits.range.effective.ngpus:>10}"},
             {"policy", "Show the configured limits, whatever the resources",
              marks + times +
                  "{limits.range.nnodes:>10} {limits.range.ncores:>10} {limits.range.ngpus:>10}"},
             {"nodes", "Show the nodes of each queue and their states",
              marks + "{resources.all.nnodes:>6} {resources.up.nnodes:>8} "
                      "{resources.down.nnodes:>10} {resources.allocated.nnodes:>11} "
                      "{resources.free.nnodes:>10}"}}};
}

struct SchedulerSets {
    ResourceSet all, down, allocated;
};

Result<ResourceSet> read_set(const JsonObject& reply, std::string_view key) {
    const Json* value = reply.if_contains(key);
    if (!value || !value->is_object()) return ResourceSet{};
    return ResourceSet::from_json(value->get_object());
}

Result<SchedulerSets> scheduler_sets(Handle& flux) {
    SLUICE_TRY(const JsonObject reply, flux.call("resource.sched-status"));
    SchedulerSets sets;
    SLUICE_TRY(sets.all, read_set(reply, "all"));
    SLUICE_TRY(sets.down, read_set(reply, "down"));
    SLUICE_TRY(sets.allocated, read_set(reply, "allocated"));
    return sets;
}

ResourceCounts counts_of(const ResourceSet& set) {
    return {static_cast<std::int64_t>(set.node_count()),
            static_cast<std::int64_t>(set.core_count()),
            static_cast<std::int64_t>(set.gpu_count())};
}

/// Ranks that have all of the queue's properties.
Idset queue_ranks(const ResourceSet& all, const std::vector<std::string>& properties) {
    Idset ranks = all.ranks();
    for (const std::string& property : properties) {
        const auto found = all.properties.find(property);
        ranks = ranks & (found == all.properties.end() ? Idset{} : found->second);
    }
    return ranks;
}

void count_resources(QueueRow& queue, const SchedulerSets& sets) {
    const Idset ranks = queue_ranks(sets.all, queue_requires(queue.config, queue.name));
    const ResourceSet all = sets.all.only_ranks(ranks);
    const ResourceSet down = sets.down.only_ranks(ranks);
    const ResourceSet allocated = sets.allocated.only_ranks(ranks);
    const ResourceSet up = all - down;
    queue.all = counts_of(all);
    queue.up = counts_of(up);
    queue.down = counts_of(down);
    queue.allocated = counts_of(allocated);
    queue.free = counts_of(up - allocated);
}

Result<QueueRow> load_row(Handle& flux, const JsonObject& config, const SchedulerSets& sets,
                          const std::string& name) {
    JsonObject request;
    if (!name.empty()) request["name"] = name;
    SLUICE_TRY(const JsonObject status, flux.call("job-manager.queue-status", request));
    JsonReader in{status};
    QueueRow row;
    row.name = name;
    row.enabled = in.boolean("enable");
    row.started = in.boolean("start");
    if (!in) return in.error();
    const char* no_color = std::getenv("NO_COLOR");
    row.colour = stdout_is_terminal() && !(no_color && *no_color);
    row.config = config;
    count_resources(row, sets);
    return row;
}

Result<std::vector<QueueRow>> load_rows(Handle& flux, const std::vector<std::string>& wanted) {
    SLUICE_TRY(const JsonObject config, flux.call("config.get"));
    std::vector<std::string> names = configured_queues(config);
    for (const std::string& name : wanted)
        if (std::find(names.begin(), names.end(), name) == names.end())
            return fail(EINVAL, "No such queue: {}", name);
    if (!wanted.empty())
        std::erase_if(names, [&](const std::string& name) {
            return std::find(wanted.begin(), wanted.end(), name) == wanted.end();
        });
    if (names.empty()) names.emplace_back();
    SLUICE_TRY(const SchedulerSets sets, scheduler_sets(flux));
    std::vector<QueueRow> rows;
    for (const std::string& name : names) {
        SLUICE_TRY(QueueRow row, load_row(flux, config, sets, name));
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace

int cmd_queue_list(int argc, char** argv) {
    Cli cli{"flux-queue list", style, "[-h] [-q QUEUE,...] [-n] [-o FORMAT]",
            "List queues, their states and limits."};
    std::vector<std::string> queue_lists;
    TableOutput table;
    cli.option("-q,--queue=QUEUE,...", queue_lists, "show only these queues");
    table.declare(cli);
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (!cli.words().empty())
        return cli.usage_error("unrecognized arguments: " + cli.words().front());
    if (const auto code = table.choose(cli, queue_formats(), queue_heading)) return *code;
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    std::vector<std::string> wanted;
    for (const std::string& list : queue_lists)
        for (std::string& name : split_words(list)) wanted.push_back(std::move(name));
    const auto queues = load_rows(*flux, wanted);
    if (!queues) return cli.error(queues.error().text());
    table.print(*queues, queue_field);
    return 0;
}

}  // namespace sluice
