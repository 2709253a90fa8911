#include "cmd/job/event_options.hpp"

namespace sluice {

void declare_event_options(Cli& cli, EventOptions& options) {
    cli.option("-f,--format=FORMAT", options.form, "text or json");
    cli.option("-T,--time-format=FORMAT", options.time, "raw, iso, offset or human");
    cli.flag("-H,--human", options.human, "the same as --time-format=human");
    cli.option("-L,--color[=WHEN]", color_into(options.color), "never, always or auto");
    cli.option("-p,--path=PATH", options.path, "another eventlog: exec, output, input or a path");
}

Result<EventTextOptions> text_options(const EventOptions& options) {
    EventTextOptions text;
    SLUICE_TRY(text.form, parse_event_form(options.form));
    SLUICE_TRY(text.time, parse_event_time(options.human ? "human" : options.time));
    text.colour = use_color(options.color);
    return text;
}

std::string eventlog_path(const std::string& word) {
    if (word == "exec") return "guest.exec.eventlog";
    if (word == "output" || word == "input") return "guest." + word;
    return word;
}

std::string eventlog_error(const Error& error, const std::string& job, const std::string& path) {
    if (error.errnum() == ENOENT && path == "eventlog") return "job " + job + " not found";
    if (error.errnum() == ENOENT) return "eventlog path " + path + " not found";
    return error.text();
}

}  // namespace sluice
