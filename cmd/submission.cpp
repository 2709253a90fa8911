#include "cmd/submission.hpp"

#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>

#include "base/rfc/eventlog.hpp"
#include "base/rfc/jobspec.hpp"
#include "cmd/client.hpp"
#include "cmd/load_file.hpp"

extern char** environ;

namespace sluice {
namespace {

std::string usage_words(SubmitVerb verb) {
    switch (verb) {
        case SubmitVerb::run:
        case SubmitVerb::submit:
            return "[OPTIONS...] COMMAND [ARGS...]";
        case SubmitVerb::bulksubmit:
            return "[OPTIONS...] COMMAND [ARGS...] [::: INPUTS...] [:::: FILE...]";
        case SubmitVerb::batch:
            return "[OPTIONS...] SCRIPT [ARGS...]";
        case SubmitVerb::alloc:
            return "[OPTIONS...] [COMMAND...]";
    }
    return "";
}

std::string summary(SubmitVerb verb) {
    switch (verb) {
        case SubmitVerb::run:
            return "Run a job and stay with it until it ends.";
        case SubmitVerb::submit:
            return "Submit jobs and print their ids.";
        case SubmitVerb::bulksubmit:
            return "Submit a job for each of many inputs.";
        case SubmitVerb::batch:
            return "Submit a script that runs in an instance of its own.";
        case SubmitVerb::alloc:
            return "Allocate resources and start an instance on them.";
    }
    return "";
}

std::string current_folder() {
    char path[PATH_MAX];
    return ::getcwd(path, sizeof path) ? path : "/";
}

}  // namespace

SubmissionLine::SubmissionLine(SubmitVerb verb_)
    : verb(verb_),
      cli(program_name(verb_), CliStyle::submission, usage_words(verb_), summary(verb_)) {}

std::optional<int> SubmissionLine::parse(int argc, char** argv) {
    declare_submit_options(cli, options, verb);
    if (const auto code = cli.parse(argc, argv)) return code;
    if (options.list_plugins) {
        fmt::print("no plugins are loaded\n");
        return 0;
    }
    words = cli.words();
    // Broker of the new instance: what follows is not for you either.
    if (verb == SubmitVerb::alloc && cli.words_marked()) words.insert(words.begin(), "--");
    return std::nullopt;
}

SubmitContext process_context() {
    SubmitContext context;
    context.cwd = current_folder();
    for (char** entry = environ; *entry; ++entry) {
        const std::string_view text = *entry;
        const std::size_t equals = text.find('=');
        if (equals == std::string_view::npos) continue;
        context.environment.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
    context.limits = current_limits();
    context.load = load_file;
    context.now = wall_clock_now();
    context.stdin_is_terminal = ::isatty(STDIN_FILENO);
    return context;
}

Result<Handle> connect_for_submission() {
    Result<Handle> flux = Handle::open();
    if (!flux)
        return Error{flux.error().errnum(), connect_error(flux.error(), CliStyle::submission)};
    return flux;
}

Result<SubmitRequest> build_submit_request(const SubmitOptions& options, SubmitVerb verb,
                                           const JobRequest& job, const SubmitContext& context) {
    SubmitRequest request;
    SLUICE_TRY(JsonObject jobspec, build_jobspec(options, verb, job, context));
    request.jobspec = dump_json_spaced(Json(std::move(jobspec)));
    if (options.dry_run) return request;  // urgency and flags are no part of what it prints
    SLUICE_TRY(request.urgency, parse_urgency(options));
    SLUICE_TRY(request.flags, parse_flags(options));
    return request;
}

void send_submit(Handle& flux, const SubmitRequest& request,
                 std::function<void(Result<JobId>)> on_id) {
    JsonObject payload;
    payload["J"] = sign_none(request.jobspec, UserId{::getuid()});
    payload["urgency"] = request.urgency;
    payload["flags"] = request.flags;
    flux.send("job-ingest.submit", payload, {}, [on_id = std::move(on_id)](const Reply& reply) {
        const Result<JsonObject> answer = reply.json();
        if (!answer) return on_id(answer.error());
        JsonReader in(*answer);
        const JobId id{static_cast<std::uint64_t>(in.integer("id"))};
        if (!in) return on_id(in.error());
        on_id(id);
    });
}

Result<JobId> submit_job(Handle& flux, const SubmitRequest& request) {
    std::optional<Result<JobId>> answer;
    send_submit(flux, request, [&](Result<JobId> id) { answer = std::move(id); });
    if (!flux.run_until([&] { return answer.has_value(); }) && !answer)
        return fail(ECONNRESET, "lost connection to Flux");
    return *std::move(answer);
}

Result<std::optional<SubmittedJob>> submit_or_print(const SubmissionLine& line,
                                                    const JobRequest& job) {
    SLUICE_TRY(const SubmitRequest request,
               build_submit_request(line.options, line.verb, job, process_context()));
    if (line.options.dry_run) {
        fmt::print("{}\n", request.jobspec);
        return std::optional<SubmittedJob>{};
    }
    SLUICE_TRY(Handle flux, connect_for_submission());
    SLUICE_TRY(const JobId id, submit_job(flux, request));
    return std::optional<SubmittedJob>{{std::move(flux), id}};
}

int plain_error(const std::string& text) {
    fmt::print(stderr, "flux: ERROR: {}\n", text);
    return 1;
}

void plain_warning(const std::string& text) {
    fmt::print(stderr, "flux: WARNING: {}\n", text);
}

}  // namespace sluice
