// Options that `flux job eventlog` and `flux job wait-event` share.
#pragma once

#include <string>

#include "cmd/client.hpp"
#include "cmd/color.hpp"
#include "cmd/format/event_text.hpp"

namespace sluice {

struct EventOptions {
    std::string form = "text", time = "raw", path = "eventlog";
    bool human = false;
    ColorWhen color = ColorWhen::automatic;
};

void declare_event_options(Cli& cli, EventOptions& options);
Result<EventText::Options> text_options(const EventOptions& options);
/// Whether the context has `key` with this value, written as JSON or as plain text.
bool context_matches(const JsonObject& context, std::string_view key, std::string_view value);
/// "exec", "output" and "input" are short for paths below "guest.".
std::string eventlog_path(const std::string& word);
/// What ENOENT and EPERM mean for an eventlog of the job that was typed as `job`.
std::string eventlog_error(const Error& error, const std::string& job, const std::string& path);

}  // namespace sluice
