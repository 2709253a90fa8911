// flux uri: resolves a job id or another target to the URI of an instance.
#include <fmt/format.h>

#include "cmd/cli.hpp"
#include "cmd/client.hpp"
#include "cmd/commands.hpp"
#include "cmd/uri_resolver.hpp"

namespace sluice {

namespace {

constexpr CliStyle style = CliStyle::python_tool;

/// Waits until the job has published its URI, or has ended.
Result<void> wait_for_uri(const std::string& target) {
    const auto id = jobid_argument(target, style);
    if (!id) return {};
    SLUICE_TRY(Handle flux, Handle::open());
    return watch_eventlog(flux, {*id}, std::nullopt, [](const std::string& line) {
        const auto event = decode_event(line);
        const bool done = event && event->name == "memo" && event->context.contains("uri");
        return done ? Watch::stop : Watch::go_on;
    });
}

}  // namespace

int cmd_uri(int argc, char** argv) {
    Cli cli{"flux-uri", style, "[-h] [--remote | --local] [--wait] TARGET",
            "Resolve TARGET to the URI of an instance."};
    cli.notes(
        "Supported resolver schemes:\n"
        "  jobid   the instance that a job runs, or a path of them: ID/ID, .., /\n"
        "  pid     the instance that a process of this host belongs to\n"
        "After TARGET, ?local and ?remote ask for a URI for this host or for others.");
    bool remote = false;
    bool local = false;
    bool wait = false;
    cli.flag("--remote", remote, "print a URI for other hosts");
    cli.flag("--local", local, "print a URI for this host");
    cli.flag("--wait", wait, "wait until the job has a URI");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (remote && local)
        return cli.usage_error("argument --local: not allowed with argument --remote");
    if (cli.words().empty()) return cli.usage_error("the following arguments are required: TARGET");
    if (cli.words().size() > 1) return cli.usage_error("unrecognized arguments: " + cli.words()[1]);
    const std::string& target = cli.words().front();
    if (wait)
        if (const auto waited = wait_for_uri(target); !waited)
            return cli.error(waited.error().text());
    const UriForm form = remote ? UriForm::remote : local ? UriForm::local : UriForm::stored;
    const auto uri = resolve_target_uri(target, form);
    if (!uri) return cli.error(uri.error().text());
    fmt::print("{}\n", *uri);
    return 0;
}

}  // namespace sluice
