#include "base/rexec/command.hpp"

#include <charconv>

namespace sluice {
namespace {

constexpr std::int64_t buffer_bytes_default = 4 << 20, buffer_bytes_max = std::int64_t{1} << 30;

Result<std::map<std::string, std::string>> text_map(const JsonObject* object, const char* key) {
    std::map<std::string, std::string> map;
    if (!object) return map;
    for (const auto& [name, value] : *object) {
        if (!value.is_string())
            return fail(EPROTO, "{}.{}: wanted a string, found {}", key, std::string_view{name},
                        json_type_name(value));
        map[std::string{name}] = std::string{value.as_string()};
    }
    return map;
}

Result<std::vector<std::string>> text_list(const JsonArray* array, const char* key) {
    std::vector<std::string> list;
    if (!array) return list;
    for (const Json& value : *array) {
        if (!value.is_string())
            return fail(EPROTO, "{}: wanted strings, found {}", key, json_type_name(value));
        list.emplace_back(value.as_string());
    }
    return list;
}

Result<RexecCommand> decode_command(const JsonObject& object) {
    JsonReader in{object};
    RexecCommand command{.cwd = in.string_or("cwd", ""), .label = in.string_or("label", "")};
    const JsonArray& cmdline = in.array("cmdline");
    const JsonObject *env = in.maybe_object("env"), *opts = in.maybe_object("opts");
    const JsonArray* channels = in.maybe_array("channels");
    if (!in) return fail(EPROTO, "error parsing command string");
    SLUICE_TRY(command.cmdline, text_list(&cmdline, "cmdline"));
    SLUICE_TRY(command.env, text_map(env, "env"));
    SLUICE_TRY(command.opts, text_map(opts, "opts"));
    SLUICE_TRY(command.channels, text_list(channels, "channels"));
    if (command.cmdline.empty()) return fail(EPROTO, "error parsing command string");
    return command;
}

JsonObject json_map(const std::map<std::string, std::string>& map) {
    JsonObject object;
    for (const auto& [name, value] : map) object[name] = value;
    return object;
}

StdioKind output_kind(const RexecRequest& request, bool foreground, std::int64_t flag) {
    if (!foreground || request.has(flag)) return StdioKind::pipe;
    const bool fall_through = request.local_flags & rexec_local_flag::stdio_fallthrough;
    return fall_through ? StdioKind::inherit : StdioKind::null;
}

}  // namespace

Result<RexecRequest> decode_rexec(const JsonObject& payload) {
    JsonReader in{payload};
    const JsonObject& cmd = in.object("cmd");
    RexecRequest request{.flags = in.integer("flags"),
                         .local_flags = in.integer_or("local_flags", 0)};
    if (!in) return in.error();
    if (request.flags < 0 || request.flags > 31)
        return fail(EPROTO, "flags: {} has unknown bits", request.flags);
    if (request.local_flags < 0 || request.local_flags > 7)
        return fail(EPROTO, "local_flags: {} has unknown bits", request.local_flags);
    SLUICE_TRY(request.command, decode_command(cmd));
    return request;
}

JsonObject encode_command(const RexecCommand& command) {
    JsonObject object;
    if (!command.cwd.empty()) object["cwd"] = command.cwd;
    if (!command.label.empty()) object["label"] = command.label;
    JsonArray cmdline(command.cmdline.begin(), command.cmdline.end());
    object["cmdline"] = std::move(cmdline);
    object["env"] = json_map(command.env);
    object["opts"] = json_map(command.opts);
    object["channels"] = JsonArray(command.channels.begin(), command.channels.end());
    object["msgchan"] = JsonArray{};
    return object;
}

SubprocessOptions subprocess_options(const RexecRequest& request, bool foreground,
                                     const std::vector<std::string>& server_environment,
                                     const std::string& uri) {
    const RexecCommand& command = request.command;
    SubprocessOptions options{.argv = command.cmdline, .cwd = command.cwd};
    options.new_group = !(request.local_flags & rexec_local_flag::no_setpgrp);
    std::vector<std::string> entries;
    for (const auto& [name, value] : command.env) entries.push_back(name + "=" + value);
    if (entries.empty()) entries = server_environment;
    std::erase_if(entries, [](std::string_view entry) {
        for (const std::string_view name :
             {"FLUX_URI=", "FLUX_PROXY_REMOTE=", "NOTIFY_SOCKET=", "INVOCATION_ID="})
            if (entry.starts_with(name)) return true;
        return false;
    });
    entries.push_back("FLUX_URI=" + uri);
    options.environment = std::move(entries);
    options.stdin_kind = foreground ? StdioKind::pipe : StdioKind::null;
    options.stdout_kind = output_kind(request, foreground, rexec_flag::stdout_);
    options.stderr_kind = output_kind(request, foreground, rexec_flag::stderr_);
    if (foreground && request.has(rexec_flag::channel)) options.channels = command.channels;
    for (const auto& [name, value] : command.opts) {
        constexpr std::string_view suffix = "_LINE_BUFFER";
        if (name.ends_with(suffix) && value == "false")
            options.unbuffered.push_back(name.substr(0, name.size() - suffix.size()));
    }
    return options;
}

Result<std::int64_t> buffer_bytes(const RexecCommand& command, const std::string& stream) {
    const auto found = command.opts.find(stream + "_BUFSIZE");
    if (found == command.opts.end()) return buffer_bytes_default;
    const std::string& text = found->second;
    std::int64_t bytes = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, bytes);
    std::string_view unit{rest, static_cast<std::size_t>(end - rest)};
    const int shift = unit.empty()                 ? 0
                      : unit == "k" || unit == "K" ? 10
                      : unit == "M"                ? 20
                      : unit == "G"                ? 30
                                                   : -1;
    if (error != std::errc{} || bytes <= 0 || shift < 0 || bytes > (buffer_bytes_max >> shift))
        return fail(EPROTO, "{}_BUFSIZE: '{}' is not a size such as 4M, at most 1G", stream, text);
    return bytes << shift;
}

}  // namespace sluice
