#include "cmd/job/event_options.hpp"

namespace sluice {

void declare_event_options(Cli& cli, EventOptions& options) {
    cli.option("-f,--format=FORMAT", options.form, "text or json");
    cli.option("-T,--time-format=FORMAT", options.time, "raw, iso, offset or human");
    cli.flag("-H,--human", options.human, "the same as --time-format=human");
    cli.option("-L,--color[=WHEN]", color_into(options.color), "never, always or auto");
    cli.option("-p,--path=PATH", options.path, "another eventlog: exec, output, input or a path");
}

Result<EventText::Options> text_options(const EventOptions& options) {
    EventText::Options text;
    if (options.form != "text" && options.form != "json")
        return fail(EINVAL, "invalid format type '{}'", options.form);
    text.json = options.form == "json";
    SLUICE_TRY(text.time, parse_event_time(options.human ? "human" : options.time));
    text.color = use_color(options.color);
    return text;
}

bool context_matches(const JsonObject& context, std::string_view key, std::string_view value) {
    const Json* found = context.if_contains(key);
    if (!found) return false;
    if (found->is_string() && std::string_view{found->get_string()} == value) return true;
    return dump_json(*found) == value;
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
