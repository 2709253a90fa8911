// flux job kill, raise, urgency: acting on single jobs.
#include <fmt/format.h>

#include <algorithm>

#include "cmd/client.hpp"
#include "cmd/job/job_commands.hpp"
#include "cmd/job/signal_name.hpp"

namespace sluice {

namespace {

constexpr CliStyle style = CliStyle::c_tool;

/// Sends one request a job, all at once; prints "VERB ID: text" for each that fails.
int send_to_jobs(const Cli& cli, std::string_view verb, const std::vector<std::string>& words,
                 const JsonObject& request) {
    std::vector<JobId> ids;
    for (const std::string& word : words) {
        const auto id = jobid_argument(word, style);
        if (!id) return cli.error(id.error().text());
        ids.push_back(*id);
    }
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    int code = 0;
    std::size_t answers = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        JsonObject job_request = request;
        job_request["id"] = ids[i].value;
        flux->send(
            fmt::format("job-manager.{}", verb), job_request, {}, [&, i](const Reply& reply) {
                ++answers;
                if (!reply.ok())
                    code =
                        cli.error(fmt::format("{} {}: {}", verb, words[i], reply.error().text()));
            });
    }
    flux->run_until([&] { return answers == ids.size(); });
    return code;
}

Result<std::int64_t> parse_urgency(const std::string& word) {
    std::string lower = word;
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    if (lower == "hold") return 0;
    if (lower == "default") return 16;
    if (lower == "expedite") return 31;
    if (const auto number = parse_integer(word)) return *number;
    return fail(EINVAL, "error parsing urgency: \"{}\"", word);
}

std::string urgency_text(std::int64_t urgency) {
    if (urgency == 0) return "job held";
    if (urgency == 31) return "job expedited";
    return std::to_string(urgency);
}

}  // namespace

int job_kill(int argc, char** argv) {
    Cli cli{"flux-job kill", style, "[OPTIONS] ID...", "Send a signal to running jobs."};
    std::string signal = "SIGTERM";
    cli.option("-s,--signal=SIG", signal, "signal to send, by name or number (SIGTERM)");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().empty()) return cli.usage_error("wants a job id");
    const auto number = parse_signal(signal);
    if (!number) return cli.error("kill: " + number.error().text());
    JsonObject request;
    request["signum"] = *number;
    return send_to_jobs(cli, "kill", cli.words(), request);
}

int job_raise(int argc, char** argv) {
    Cli cli{"flux-job raise", style, "[OPTIONS] ID... [--] [message...]",
            "Raise an exception on jobs."};
    std::int64_t severity = 0;
    std::string type = "cancel";
    std::string message;
    cli.option("-s,--severity=N", integer_into(severity), "severity, 0 to 7 (0 ends the job)");
    cli.option("-t,--type=TYPE", type, "type of the exception (cancel)");
    cli.option("-m,--message=NOTE", message, "note for the exception");
    if (const auto code = cli.parse(argc, argv)) return *code;
    const auto& words = cli.words();
    if (words.empty()) return cli.usage_error("wants a job id");
    // The message begins at the first word that is no job id.
    auto end = std::next(words.begin());
    while (end != words.end() && *end != "--" && jobid_argument(*end, style)) ++end;
    for (auto word = end; word != words.end(); ++word) {
        if (word == end && *word == "--") continue;
        message += (message.empty() ? "" : " ") + *word;
    }
    JsonObject request;
    request["type"] = type;
    request["severity"] = severity;
    if (!message.empty()) request["note"] = message;
    return send_to_jobs(cli, "raise", {words.begin(), end}, request);
}

int job_urgency(int argc, char** argv) {
    Cli cli{"flux-job urgency", style, "[OPTIONS] ID URGENCY",
            "Set the urgency of a job: 0 to 31, hold, default or expedite."};
    bool verbose = false;
    cli.flag("-v,--verbose", verbose, "print the urgency it had");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() != 2) return cli.usage_error("wants a job id and an urgency");
    const auto id = jobid_argument(cli.words()[0], style);
    if (!id) return cli.error(id.error().text());
    const auto urgency = parse_urgency(cli.words()[1]);
    if (!urgency) return cli.error(urgency.error().text());
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    JsonObject request;
    request["id"] = id->value;
    request["urgency"] = *urgency;
    const auto reply = flux->call("job-manager.urgency", request);
    if (!reply) return cli.error(cli.words()[0] + ": " + reply.error().text());
    JsonReader in{*reply};
    const auto old = in.integer_or("old_urgency", 0);
    if (verbose) fmt::print(stderr, "old urgency: {}\n", urgency_text(old));
    return 0;
}

}  // namespace sluice
