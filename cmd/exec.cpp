// flux exec: run a command on brokers, or with --jobid on the nodes of a job.
#include <fmt/format.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>

#include "base/rfc/eventlog.hpp"
#include "cmd/cli.hpp"
#include "cmd/client.hpp"
#include "cmd/commands.hpp"
#include "cmd/exec_run.hpp"
#include "cmd/instance.hpp"

extern char** environ;

namespace sluice {
namespace {

constexpr std::int64_t job_state_run = 16;

struct Words {
    std::string ranks = "all", exclude, folder, jobid, flow = "on";
    std::vector<std::string> opts;
    std::optional<std::string> label;
    bool with_imp = false, attach = false;
};

/// An idset, or "all" of `size` ranks.
Result<Idset> parse_ranks(const std::string& text, std::uint32_t size) {
    if (text == "all") return Idset::range(0, size - 1);
    return Idset::parse(text);
}

Result<Idset> select_ranks(const Words& words, std::uint32_t size) {
    auto ranks = parse_ranks(words.ranks, size);
    if (!ranks)
        return fail(EINVAL, "failed to decode idset '{}': {}", words.ranks, Error{EINVAL}.text());
    if (!ranks->empty() && ranks->last() >= size)
        return fail(EINVAL, "One or more invalid --ranks specified: {}", words.ranks);
    if (!words.exclude.empty()) {
        const auto exclude = Idset::parse(words.exclude);
        if (!exclude)
            return fail(EINVAL, "error decoding --exclude idset: {}", Error{EINVAL}.text());
        *ranks -= *exclude;
    }
    if (ranks->empty()) return fail(EINVAL, "No targets specified");
    return ranks;
}

/// The whole environment, without what names our way to the broker.
std::map<std::string, std::string> forwarded_environment() {
    std::map<std::string, std::string> env;
    for (char** entry = environ; *entry; ++entry) {
        const std::string_view text = *entry;
        const std::size_t equals = text.find('=');
        if (equals == std::string_view::npos) continue;
        env[std::string{text.substr(0, equals)}] = text.substr(equals + 1);
    }
    env.erase("FLUX_PROXY_REMOTE");
    return env;
}

/// The shell's rexec service of a running job, and the broker ranks of its nodes.
struct JobTarget {
    std::string service;
    Idset ranks;
};

Result<JobTarget> find_job(Handle& flux, const std::string& text) {
    SLUICE_TRY(const JobId id, jobid_argument(text, CliStyle::c_tool));
    JsonArray attrs;
    attrs.emplace_back("ranks");
    attrs.emplace_back("state");
    const auto reply =
        flux.call("job-list.list-id", {{"id", id.value}, {"attrs", std::move(attrs)}});
    if (!reply && reply.error().errnum() == ENOENT) return fail(ENOENT, "job {} not found", text);
    if (!reply) return reply.error();
    JsonReader in{*reply};
    const JsonObject& job = in.object("job");
    JsonReader fields{job};
    const auto state = fields.integer("state");
    const std::string ranks = fields.string_or("ranks", "");
    if (!in) return in.error();
    if (!fields) return fields.error();
    if (state != job_state_run) return fail(EINVAL, "job {} is not currently running", text);
    JobTarget target;
    SLUICE_TRY(target.ranks, Idset::parse(ranks));
    const EventlogPath log{.id = id, .path = "guest.exec.eventlog", .wait_for_creation = true};
    SLUICE_CHECK(watch_eventlog(flux, log, std::nullopt, [&](const std::string& line) {
        const auto entry = parse_json_object(line);
        if (!entry) return Watch::go_on;
        const Json* name = find_path(*entry, "name");
        if (!name || *name != "shell.init") return Watch::go_on;
        if (const Json* service = find_path(*entry, "context.service"); service->is_string())
            target.service = std::string{service->as_string()} + ".rexec";
        return Watch::stop;
    }));
    if (target.service.empty()) return fail(EINVAL, "job {} is not currently running", text);
    return target;
}

/// With --jobid the given ranks count the nodes of the job.
Result<void> select_targets(Handle& flux, const Words& words, ExecOptions& options) {
    SLUICE_TRY(const std::uint32_t size, flux.size());
    if (words.jobid.empty()) {
        SLUICE_TRY(options.ranks, select_ranks(words, size));
        return {};
    }
    SLUICE_TRY(const JobTarget job, find_job(flux, words.jobid));
    SLUICE_TRY(const Idset nodes,
               select_ranks(words, static_cast<std::uint32_t>(job.ranks.size())));
    for (const std::uint32_t node : nodes) options.ranks.insert(job.ranks.nth(node));
    options.service = job.service;
    return {};
}

Result<void> use_imp(Handle& flux, ExecOptions& options) {
    SLUICE_TRY(const JsonObject config, flux.call("config.get"));
    const Json* imp = find_path(config, "exec.imp");
    if (!imp || !imp->is_string())
        return fail(ENOENT, "--with-imp: exec.imp path not found in config");
    auto& words = options.command.cmdline;
    words.insert(words.begin(), {std::string{imp->as_string()}, "run"});
    return {};
}

void declare(Cli& cli, Words& words, ExecOptions& options) {
    cli.option("-r,--rank=IDSET", words.ranks, "Ranks to run on (all)");
    cli.alias("ranks");
    cli.option("-x,--exclude=IDSET", words.exclude, "Ranks to leave out");
    cli.option("-j,--jobid=ID", words.jobid, "Run on the nodes of a job");
    cli.option("-d,--dir=PATH", words.folder, "Working directory (this one); none: as it is");
    cli.flag("-l,--label-io", options.label_io, "Show the rank before each line");
    cli.flag("-n,--noinput", options.no_input, "Do not forward standard input");
    cli.flag("-v,--verbose", options.verbose, "Show what is started");
    cli.flag("-q,--quiet", options.quiet, "Do not report exit codes");
    cli.flag("--bg", options.background, "Leave the processes in the background");
    cli.flag("--waitable", options.waitable, "With --bg: they can be waited for");
    cli.option("--label=LABEL", words.label, "Name of the processes");
    cli.flag("--attach", words.attach, "Attach to the background process PID or LABEL");
    cli.flag("--with-imp", words.with_imp, "Run the command through the IMP");
    cli.option("--service=NAME", options.service, "");
    cli.option("--setopt=NAME=VALUE", words.opts, "");
    cli.option("--stdin-flow=on|off", words.flow, "");
}

Result<void> fill_command(const Cli& cli, const Words& words, ExecOptions& options) {
    options.command.cmdline = cli.words();
    options.command.label = words.label.value_or("");
    options.command.env = forwarded_environment();
    options.flow_control = words.flow != "off";
    options.command.cwd = words.folder;
    if (words.folder.empty()) {
        char* here = ::getcwd(nullptr, 0);
        if (here) options.command.cwd = here;
        std::free(here);
    } else if (words.folder == "none") {
        options.command.cwd.clear();
    }
    for (const std::string& opt : words.opts) {
        const std::size_t equals = opt.find('=');
        if (equals == std::string::npos)
            return fail(EINVAL, "--setopt: '{}' is not NAME=VALUE", opt);
        options.command.opts[opt.substr(0, equals)] = opt.substr(equals + 1);
    }
    return {};
}

Result<void> check(const Cli& cli, const Words& words, const ExecOptions& options) {
    if (options.waitable && !options.background) return fail(EINVAL, "--waitable requires --bg");
    if (words.label && words.label->empty())
        return fail(EINVAL, "--label: found an empty name; leave the option out for none");
    if (!words.attach) return {};
    if (cli.words().empty()) return fail(EINVAL, "--attach requires a pid or label argument");
    if (cli.words().size() > 1)
        return fail(EINVAL, "--attach takes a single pid or label argument");
    if (options.background)
        return fail(EINVAL, "--attach cannot be used with --bg or --waitable");
    return {};
}

/// A number that fits a pid is one; anything else is a label.
AttachTarget attach_target(const std::string& word) {
    const auto number = parse_integer(word);
    if (number && *number > 0 && *number <= INT_MAX) return {.pid = *number};
    return {.label = word};
}

}  // namespace

int cmd_exec(int argc, char** argv) {
    Words words;
    ExecOptions options;
    Cli cli("flux-exec", CliStyle::c_tool, "[OPTIONS] COMMAND...",
            "Run a command on brokers of the instance.");
    declare(cli, words, options);
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (const auto done = check(cli, words, options); !done)
        return cli.error(done.error().text());
    if (words.attach) options.attach = attach_target(cli.words()[0]);
    else if (cli.words().empty()) return cli.usage_error("give a command");
    if (const auto done = fill_command(cli, words, options); !done)
        return cli.error(done.error().text());
    auto flux = open_tool(cli.name());
    if (!flux) return 1;
    if (words.with_imp)
        if (const auto done = use_imp(*flux, options); !done) return cli.error(done.error().text());
    if (const auto done = select_targets(*flux, words, options); !done)
        return cli.error(done.error().text());
    if (options.attach && options.attach->pid > 0 && options.ranks.size() > 1)
        return cli.error("--attach by pid requires a single target rank; give it with --rank");
    return ExecRun{*flux, std::move(options)}.run();
}

}  // namespace sluice
