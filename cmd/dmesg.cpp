// flux dmesg: the ring buffer of the broker's log.
#include <fmt/format.h>

#include <cstdio>

#include "cmd/cli.hpp"
#include "cmd/color.hpp"
#include "cmd/commands.hpp"
#include "cmd/format/log_text.hpp"
#include "cmd/instance.hpp"

namespace sluice {
namespace {

/// Prints the buffer, and with `follow` what comes after it.
Result<void> print_log(Handle& flux, bool follow, bool new_only, LogText text) {
    Message request = Message::request("log.dmesg");
    request.flags |= message_flag::streaming;
    request.set_json({{"follow", follow}, {"nobacklog", new_only}});
    std::optional<Error> end;
    flux.send(std::move(request), [&](const Reply& reply) {
        if (!reply.ok()) {
            end = reply.error();
            return;
        }
        fmt::print("{}\n", text.next(reply.message.text()));
        if (follow) std::fflush(stdout);
    });
    if (!flux.run_until([&] { return end.has_value(); })) return Error{ECONNRESET};
    if (end->errnum() == ENODATA) return {};
    return *end;
}

}  // namespace

int cmd_dmesg(int argc, char** argv) {
    bool clear = false, read_clear = false, follow = false, new_only = false;
    LogText::Options options;
    ColorWhen color;
    Cli cli("flux-dmesg", CliStyle::c_tool, "[OPTIONS...]",
            "Print or clear the log ring buffer of the broker.");
    cli.flag("-C,--clear", clear, "Clear the ring buffer");
    cli.flag("-c,--read-clear", read_clear, "Clear the ring buffer after printing it");
    cli.flag("-f,--follow", follow, "Print new lines as they come");
    cli.flag("-n,--new", new_only, "Leave out what was logged before (with --follow)");
    cli.flag("-H,--human", options.human, "Short time stamps");
    cli.flag("-d,--delta", options.delta, "With --human, show the time since the line before");
    cli.option("-L,--color[=WHEN]", color_into(color), "Colors: always, never or auto");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (!cli.words().empty()) return cli.usage_error("no words are expected");
    if (options.delta && !options.human) return cli.error("--delta can only be used with --human");
    options.color = use_color(color);
    auto flux = open_builtin();
    if (!flux) return 1;
    if (!clear) {
        const auto done = print_log(*flux, follow, new_only, LogText{options});
        if (!done) return cli.error("log.dmesg: " + done.error().text());
    }
    if (clear || read_clear)
        if (const auto reply = flux->call("log.clear"); !reply)
            return cli.error("log.clear: " + reply.error().text());
    return 0;
}

}  // namespace sluice
