// flux job stats, list, list-ids, list-inactive: what job-list says, as JSON.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "cmd/client.hpp"
#include "cmd/job/job_commands.hpp"
#include "cmd/options/job_filter.hpp"

namespace sluice {

namespace {

constexpr CliStyle style = CliStyle::c_tool;

/// These listings are for programs.
bool refuse_terminal(const Cli& cli) {
    if (!stdout_is_terminal()) return false;
    cli.error("prints JSON for programs; use flux jobs");
    return true;
}

int print_jobs(const Cli& cli, const JsonObject& request) {
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    const auto done = for_each_response(*flux, "job-list.list", request, [](JsonObject reply) {
        const Json* jobs = reply.if_contains("jobs");
        if (!jobs || !jobs->is_array()) return;
        for (const Json& job : jobs->get_array()) write_stdout(dump_json(job) + "\n");
    });
    return done ? 0 : cli.error(done.error().text());
}

JsonObject list_request(std::int64_t count) {
    JsonObject request;
    request["max_entries"] = count;
    request["attrs"] = JsonArray{Json("all")};
    return request;
}

}  // namespace

int job_stats(int argc, char** argv) {
    Cli cli{"flux-job stats", style, "", "Print numbers of jobs as JSON."};
    if (const auto code = cli.parse(argc, argv)) return *code;
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    const auto stats = flux->call("job-list.job-stats");
    if (!stats) return cli.error(stats.error().text());
    write_stdout(dump_json(*stats) + "\n");
    return 0;
}

int job_list(int argc, char** argv) {
    Cli cli{"flux-job list", style, "[OPTIONS]", "Print jobs as JSON, one a line."};
    std::int64_t count = 0;
    std::string states = "pending,running";
    std::string user;
    bool all_states = false;
    bool all_users = false;
    cli.option("-c,--count=N", integer_into(count), "at most N jobs (0: all)");
    cli.option("-s,--states=STATES", states, "jobs in these states (pending,running)");
    cli.option("-u,--user=USER", user, "jobs of USER, or of all users");
    cli.flag("-a,--all-states", all_states, "jobs in all states");
    cli.flag("-A,--all-users", all_users, "jobs of all users");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (refuse_terminal(cli)) return 1;
    JobFilter filter;
    const auto parsed = parse_state_filter(states);
    if (!parsed) return cli.error(parsed.error().text());
    filter.states = *parsed;
    if (all_states) filter.states = {job_state::pending | job_state::running | job_state::inactive};
    filter.user = UserId{::getuid()};
    if (!user.empty()) {
        const auto found = find_user(user);
        if (!found) return cli.error(found.error().text());
        filter.user = *found;
    }
    if (all_users || *filter.user == userid_unknown) filter.user.reset();
    JsonObject request = list_request(count);
    request["constraint"] = filter_constraint(filter);
    return print_jobs(cli, request);
}

int job_list_inactive(int argc, char** argv) {
    Cli cli{"flux-job list-inactive", style, "[OPTIONS]", "Print inactive jobs as JSON."};
    std::int64_t count = 0;
    std::string since;
    cli.option("-c,--count=N", integer_into(count), "at most N jobs (0: all)");
    cli.option("-s,--since=T", since, "jobs inactive since this time (seconds since the epoch)");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (refuse_terminal(cli)) return 1;
    JsonObject request = list_request(count);
    char* end = nullptr;
    request["since"] = std::strtod(since.c_str(), &end);
    if (*end) return cli.error("--since: found '" + since + "', wanted seconds since the epoch");
    JobFilter filter;
    filter.states = {job_state::inactive, 0};
    request["constraint"] = filter_constraint(filter);
    return print_jobs(cli, request);
}

int job_list_ids(int argc, char** argv) {
    Cli cli{"flux-job list-ids", style, "[OPTIONS] ID...", "Print these jobs as JSON."};
    std::string state = "depend";
    cli.option("-W,--wait-state=STATE", state, "wait until the jobs have reached STATE (depend)");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (refuse_terminal(cli)) return 1;
    if (cli.words().empty()) return cli.usage_error("wants a job id");
    const auto filter = parse_state_filter(state);
    if (!filter || !state_name(filter->states).size())
        return cli.error("--wait-state: found '" + state + "', wanted the name of one state");
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    int code = 0;
    for (const std::string& word : cli.words()) {
        const auto id = jobid_argument(word, style);
        if (!id) return cli.error(id.error().text());
        JsonObject request;
        request["id"] = id->value;
        request["attrs"] = JsonArray{Json("all")};
        request["state"] = filter->states;
        const auto reply = flux->call("job-list.list-id", request);
        const Json* job = reply ? reply->if_contains("job") : nullptr;
        if (job)
            write_stdout(dump_json(*job) + "\n");
        else
            code = cli.error(word + ": " + (reply ? "no job in the reply" : reply.error().text()));
    }
    return code;
}

}  // namespace sluice
