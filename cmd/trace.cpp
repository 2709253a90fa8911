// flux module trace, flux overlay trace: messages as they come to and go from modules, and over the
// tree of brokers.
#include <fmt/format.h>

#include <cstdio>

#include "cmd/client.hpp"
#include "cmd/color.hpp"
#include "cmd/commands.hpp"
#include "cmd/format/trace_text.hpp"
#include "cmd/instance.hpp"
#include "cmd/trace.hpp"

namespace sluice {

namespace {

struct TraceOptions {
    TraceText::Options text;
    std::string types, topic = "*";
    ColorWhen color = ColorWhen::automatic;

    void declare(Cli& cli) {
        cli.flag("-f,--full", text.full, "Show the JSON payload of messages");
        cli.option("-t,--type=TYPE,...", types,
                   "Only these: request, response, event, control");
        cli.option("-L,--color[=WHEN]", color_into(color), "never, always or auto");
        cli.flag("-H,--human", text.human, "Show the time of day, then seconds");
        cli.flag("-d,--delta", text.delta, "With --human, seconds since the message before");
    }
};

int run(const Cli& cli, std::string_view topic, TraceOptions& options, JsonObject request) {
    const auto mask = parse_message_types(options.types);
    if (!mask) return cli.error(mask.error().text());
    if (options.text.delta && !options.text.human)
        return cli.error("--delta can only be used with --human");
    request["typemask"] = *mask;
    request["topic_glob"] = options.topic;
    request["full"] = options.text.full;
    options.text.color = use_color(options.color);
    auto flux = open_tool(cli.name().substr(0, cli.name().find(' ')));
    if (!flux) return 1;
    TraceText text{options.text};
    Result<void> shown;
    const auto done = for_each_response(*flux, topic, request, [&](const JsonObject& message) {
        const auto line = text.next(message);
        if (!line) shown = line.error();
        if (line) write_stdout(*line);
        std::fflush(stdout);
    });
    if (!shown) return cli.error(shown.error().text());
    return done ? 0 : cli.error(done.error().text());
}

}  // namespace

int cmd_module_trace(int argc, char** argv) {
    Cli cli("flux-module trace", CliStyle::c_tool, "[OPTIONS] [MODULE...]",
            "Show the messages of modules.");
    TraceOptions options;
    cli.option("-T,--topic=GLOB", options.topic, "Only messages whose topic fits");
    options.declare(cli);
    if (const auto code = cli.parse(argc, argv)) return *code;
    JsonArray names;
    for (const std::string& word : cli.words()) names.emplace_back(word);
    return run(cli, "module.trace", options, {{"names", std::move(names)}});
}

int cmd_overlay_trace(int argc, char** argv) {
    Cli cli("flux-overlay trace", CliStyle::c_tool, "[OPTIONS] [TOPIC-GLOB]",
            "Show the messages between this broker and its neighbours.");
    TraceOptions options;
    std::int64_t rank = -1;
    cli.option("-r,--rank=RANK", integer_into(rank), "Only messages of this neighbour");
    options.declare(cli);
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() > 1) return cli.usage_error("give one topic");
    if (!cli.words().empty()) options.topic = cli.words()[0];
    return run(cli, "overlay.trace", options, {{"nodeid", rank}});
}

}  // namespace sluice
