// flux job killall, raiseall: acting on all jobs of a user.
#include <fmt/format.h>
#include <strings.h>
#include <unistd.h>

#include "base/words.hpp"
#include "cmd/client.hpp"
#include "cmd/job/job_commands.hpp"
#include "cmd/job/signal_name.hpp"
#include "cmd/options/job_filter.hpp"

namespace sluice {

namespace {

constexpr CliStyle style = CliStyle::c_tool;

struct Selection {
    bool force = false;
    std::string user;
};

void declare_selection(Cli& cli, Selection& selection) {
    cli.option("-u,--user=USER", selection.user, "jobs of USER, or of all users");
    cli.flag("-f,--force", selection.force, "do it; without this, only count");
}

/// Sends the request and prints what came of it; `did` is "Killed" or "Raised exception on".
int send_to_all(const Cli& cli, const Selection& selection, const std::string& topic,
                JsonObject request, std::string_view did) {
    UserId user{::getuid()};
    if (!selection.user.empty()) {
        const auto found = find_user(selection.user);
        if (!found) return cli.error(found.error().text());
        user = *found;
    }
    request["dry_run"] = !selection.force;
    request["userid"] = user.value;
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    const auto reply = flux->call(topic, request);
    if (!reply) {
        const std::string verb = topic.substr(topic.find('.') + 1);
        return cli.error(verb + ": " + reply.error().text());
    }
    JsonReader in{*reply};
    const auto count = in.integer("count");
    const auto errors = in.integer("errors");
    if (!in) return cli.error(in.error().text());
    const std::string jobs = fmt::format("{} job{}", count, count == 1 ? "" : "s");
    if (count == 0)
        fmt::print(stderr, "flux-job: Command matched {}\n", jobs);
    else if (!selection.force)
        fmt::print(stderr, "flux-job: Command matched {} (-f to confirm)\n", jobs);
    else
        fmt::print(stderr, "flux-job: {} {} ({} error{})\n", did, jobs, errors,
                   errors == 1 ? "" : "s");
    return errors > 0 ? 1 : 0;
}

/// The states of --states as a mask; a job that is over takes no exception.
Result<std::uint32_t> parse_raise_states(const std::string& list) {
    const auto words = split_words(list);
    if (words.empty()) return fail(EINVAL, "no states specified");
    std::uint32_t mask = 0;
    for (const std::string& word : words) {
        if (::strcasecmp(word.c_str(), "inactive") == 0)
            return fail(EINVAL, "Exceptions cannot be raised on inactive jobs");
        const auto states = parse_active_states(word);
        if (!states) return fail(EINVAL, "error parsing --states: {} is unknown", word);
        mask |= *states;
    }
    return mask;
}

}  // namespace

int job_killall(int argc, char** argv) {
    Cli cli{"flux-job killall", style, "[OPTIONS]", "Send a signal to all running jobs."};
    Selection selection;
    std::string signal = "SIGTERM";
    declare_selection(cli, selection);
    cli.option("-s,--signal=SIG", signal, "signal to send, by name or number (SIGTERM)");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (!cli.words().empty()) return cli.usage_error("takes no arguments");
    const auto number = parse_signal(signal);
    if (!number) return cli.error("killall: " + number.error().text());
    JsonObject request;
    request["signum"] = *number;
    return send_to_all(cli, selection, "job-manager.killall", std::move(request), "Killed");
}

int job_raiseall(int argc, char** argv) {
    Cli cli{"flux-job raiseall", style, "[OPTIONS] TYPE [message...]",
            "Raise an exception on all jobs."};
    Selection selection;
    std::int64_t severity = 7;
    std::string states = "active";
    declare_selection(cli, selection);
    cli.option("-s,--severity=N", integer_into(severity), "severity, 0 to 7 (7)");
    cli.option("-S,--states=STATES", states, "jobs in these states (active)");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().empty()) return cli.usage_error("wants a type");
    const auto mask = parse_raise_states(states);
    if (!mask) return cli.error(mask.error().text());
    std::string note;
    for (std::size_t i = 1; i < cli.words().size(); ++i)
        note += (note.empty() ? "" : " ") + cli.words()[i];
    JsonObject request;
    request["states"] = *mask;
    request["severity"] = severity;
    request["type"] = cli.words().front();
    request["note"] = note;
    return send_to_all(cli, selection, "job-manager.raiseall", std::move(request),
                       "Raised exception on");
}

}  // namespace sluice
