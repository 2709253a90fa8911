// flux job purge: drops inactive jobs, by id or by age and number.
#include <fmt/format.h>

#include "cmd/client.hpp"
#include "cmd/job/job_commands.hpp"

namespace sluice {

namespace {

constexpr std::int64_t batch_max = 100, no_limit = -1;
constexpr CliStyle style = CliStyle::c_tool;

struct PurgeOptions {
    bool force = false;
    std::optional<double> age_limit;
    std::int64_t num_limit = no_limit, batch = 50;
};

Result<std::int64_t> count_of(const Result<JsonObject>& reply) {
    if (!reply) return reply.error();
    JsonReader in{*reply};
    const auto count = in.integer("count");
    if (!in) return in.error();
    return count;
}

Result<std::int64_t> purge_by_limits(Handle& flux, const PurgeOptions& options) {
    JsonObject request;
    request["age_limit"] = options.age_limit.value_or(-1.0);
    request["num_limit"] = options.num_limit;
    request["batch"] = options.batch;
    request["force"] = options.force;
    std::int64_t total = 0;
    for (;;) {
        SLUICE_TRY(const std::int64_t count,
                   count_of(flux.call("job-manager.purge", request, {.nodeid = 0})));
        total += count;
        // Without force nothing goes away, so asking again would count the same jobs.
        if (!options.force || count < options.batch) return total;
    }
}

/// Prints an error for each job that cannot be purged.
std::int64_t purge_by_ids(const Cli& cli, Handle& flux, const std::vector<JobId>& ids, bool force,
                          int& code) {
    std::int64_t total = 0;
    for (const JobId id : ids) {
        JsonObject request;
        request["id"] = id.value;
        request["force"] = force ? 1 : 0;
        const auto count = count_of(flux.call("job-manager.purge-id", request, {.nodeid = 0}));
        if (count)
            total += *count;
        else
            code = cli.error("purge: " + count.error().text());
    }
    return total;
}

int report(const Cli& cli, Handle& flux, std::int64_t count, bool force) {
    auto request = Message::request("job-manager.stats-get", 0);
    const auto reply = flux.call(std::move(request));
    if (!reply) return cli.error("purge: " + reply.error().text());
    const auto stats = parse_json_object(reply->text());
    if (!stats) return cli.error("purge: " + stats.error().text());
    JsonReader in{*stats};
    const auto inactive = in.integer("inactive_jobs");
    if (!in) return cli.error("purge: " + in.error().text());
    if (force)
        fmt::print("purged {} inactive jobs, {} remaining\n", count, inactive);
    else
        fmt::print("use --force to purge {} of {} inactive jobs\n", count, inactive);
    return 0;
}

}  // namespace

int job_purge(int argc, char** argv) {
    Cli cli{"flux-job purge", style, "[OPTIONS] [ID...]", "Drop inactive jobs."};
    PurgeOptions options;
    cli.option("--age-limit=FSD", duration_into(options.age_limit), "jobs inactive for longer");
    cli.option("--num-limit=N", integer_into(options.num_limit), "all but the N newest");
    cli.option("--batch=N", integer_into(options.batch), "jobs to drop at a time (50)");
    cli.flag("-f,--force", options.force, "do it; without this, only count");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (options.batch < 1 || options.batch > batch_max)
        return cli.error(fmt::format("purge: batch must be >= 1 and <= {}, found {}", batch_max,
                                     options.batch));
    if (options.num_limit < 0 && options.num_limit != no_limit)
        return cli.error(fmt::format("purge: if set, num limit must be >= 0, found {}",
                                     options.num_limit));
    std::vector<JobId> ids;
    for (const std::string& word : cli.words()) {
        const auto id = jobid_argument(word, style);
        if (!id) return cli.error(id.error().text());
        ids.push_back(*id);
    }
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    int code = 0;
    std::int64_t count = 0;
    if (ids.empty()) {
        const auto purged = purge_by_limits(*flux, options);
        if (!purged) return cli.error("purge: " + purged.error().text());
        count = *purged;
    } else {
        count = purge_by_ids(cli, *flux, ids, options.force, code);
        if (count == 0 && code != 0) return code;
    }
    const int reported = report(cli, *flux, count, options.force);
    return code ? code : reported;
}

}  // namespace sluice
