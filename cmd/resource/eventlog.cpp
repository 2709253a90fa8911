// flux resource eventlog: the journal of what happened to the resources (RFC 44).
#include <fmt/format.h>

#include <cstdio>

#include "base/rfc/eventlog.hpp"
#include "cmd/client.hpp"
#include "cmd/color.hpp"
#include "cmd/format/event_text.hpp"
#include "cmd/resource/commands.hpp"
#include "cmd/resource/resource_sets.hpp"

namespace sluice {
namespace {

constexpr CliStyle style = CliStyle::python_tool;

struct Options {
    std::string format = "text", time = "raw", wait, include;
    std::vector<std::string> match;  // KEY=VALUE
    bool human = false, follow = false;
    std::optional<double> seconds;
    ColorWhen color = ColorWhen::automatic;

    void declare(Cli& cli) {
        cli.option("-f,--format=FORMAT", format, "text or json");
        cli.option("-T,--time-format=FORMAT", time, "raw, iso, offset, human or reltime");
        cli.flag("-H,--human", human, "as --time-format=human --color=auto");
        cli.option("-L,--color[=WHEN]", color_into(color),
                   "color the output: never, always or auto");
        cli.flag("-F,--follow", follow, "print new events as they come");
        cli.option("-w,--wait=EVENT", wait, "wait for the event, then exit");
        cli.option("-m,--match-context=KEY=VALUE", match, "the context that --wait must find");
        cli.option("-t,--timeout=FSD", duration_into(seconds), "give up waiting after this time");
        cli.option("-i,--include=TARGETS", include, "only events of these ranks or hosts");
    }
};

/// Does the event concern one of `ranks`? One that names none concerns all.
bool concerns(const Event& event, const Idset& ranks) {
    for (const char* key : {"idset", "ranks"}) {
        const Json* value = event.context.if_contains(key);
        if (!value || !value->is_string()) continue;
        const auto named = Idset::parse(value->get_string());
        return named && !(*named & ranks).empty();
    }
    return true;
}

/// KEY=VALUE, with VALUE as JSON or as plain text.
bool has_context(const Event& event, const std::string& wanted) {
    const std::size_t equals = wanted.find('=');
    const std::string value = equals == std::string::npos ? "" : wanted.substr(equals + 1);
    const Json* found = event.context.if_contains(wanted.substr(0, equals));
    if (!found) return false;
    return dump_json(*found) == value ||
           (found->is_string() && std::string_view{found->get_string()} == value);
}

bool awaited(const Event& event, const Options& options) {
    if (options.wait.empty() || event.name != options.wait) return false;
    for (const std::string& wanted : options.match)
        if (!has_context(event, wanted)) return false;
    return true;
}

/// Prints the events of one response; says when the command is over.
class Printer {
  public:
    Printer(const Options& options, EventText text, std::optional<Idset> ranks)
        : options_(options), text_(std::move(text)), ranks_(std::move(ranks)) {}

    Watch take(const JsonObject& response) {
        const Json* events = response.if_contains("events");
        if (!events || !events->is_array()) return Watch::go_on;
        // An empty list ends what had happened before we came.
        if (events->get_array().empty())
            return options_.follow || !options_.wait.empty() ? Watch::go_on : Watch::stop;
        for (const Json& value : events->get_array()) {
            if (!value.is_object()) continue;
            const auto event = event_from_json(value.get_object());
            if (!event || (ranks_ && !concerns(*event, *ranks_))) continue;
            fmt::print("{}\n", text_.next(*event, wall_clock_now()));
            std::fflush(stdout);
            if (awaited(*event, options_)) return Watch::stop;
        }
        return Watch::go_on;
    }

  private:
    const Options& options_;
    EventText text_;
    std::optional<Idset> ranks_;
};

Result<std::optional<Idset>> included(Handle& flux, const std::string& include) {
    if (include.empty()) return std::optional<Idset>{};
    SLUICE_TRY(const ResourceSets sets, load_resource_sets(flux));
    RankFilter filter;
    filter.include = include;
    SLUICE_TRY(Idset ranks, filter.ranks(sets.all, sets.config));
    return std::optional<Idset>{std::move(ranks)};
}

}  // namespace

int cmd_resource_eventlog(int argc, char** argv) {
    Cli cli{"flux-resource eventlog", style, "[-h] [OPTIONS]",
            "Show what happened to the resources."};
    Options options;
    options.declare(cli);
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (!cli.words().empty())
        return cli.usage_error("unrecognized arguments: " + cli.words().front());
    if (options.format != "text" && options.format != "json")
        return cli.usage_error(fmt::format("argument -f/--format: invalid choice: '{}' (choose "
                                           "from text, json)", options.format));
    const auto time = parse_event_time(options.human ? "human" : options.time);
    if (!time) return cli.usage_error(time.error().text());
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    auto ranks = included(*flux, options.include);
    if (!ranks) return cli.error(ranks.error().text());
    const bool color = options.color == ColorWhen::automatic && !options.human
                           ? false : use_color(options.color);
    Printer printer{options,
                    EventText{{.time = *time, .json = options.format == "json", .color = color}},
                    *std::move(ranks)};
    const auto done = watch_responses(*flux, "resource.journal", {.nodeid = 0}, options.seconds,
                                      [&](JsonObject item) { return printer.take(item); });
    if (done) return 0;
    if (done.error().errnum() == ETIMEDOUT)
        return cli.error(options.wait.empty() ? "timeout"
                                              : fmt::format("timeout waiting for event {}; it did "
                                                            "not come", options.wait));
    return cli.error(done.error().text());
}

}  // namespace sluice
