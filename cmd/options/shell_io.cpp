#include "cmd/options/shell_io.hpp"

#include <charconv>
#include <csignal>
#include <cstring>

#include "base/rfc/fsd.hpp"
#include "cmd/options/jobspec_builder.hpp"

namespace sluice {
namespace {

constexpr int signal_default = SIGUSR1;
constexpr int timeleft_default_s = 60;

/// The file a stream is sent to, empty for the KVS.
std::string redirect_path(const SubmitOptions& options, SubmitVerb verb, std::string_view name) {
    if (verb == SubmitVerb::alloc) return {};
    const bool batch_output = verb == SubmitVerb::batch && name == "output";
    const std::string path = options.last_or(name, batch_output ? "flux-{{id}}.out" : "");
    return path == "none" || path == "kvs" ? "" : path;
}

JsonObject file_stream(const std::string& path) {
    JsonObject stream;
    stream["type"] = "file";
    stream["path"] = path;
    return stream;
}

}  // namespace

JsonObject shell_io_options(const SubmitOptions& options, SubmitVerb verb) {
    JsonObject io;
    const auto input = options.last("input");
    if (input && verb != SubmitVerb::alloc && !input_names_tasks(options))
        set_path(io, "input.stdin", Json(file_stream(*input)));
    for (const auto& [option, stream] : {std::pair{"output", "stdout"}, {"error", "stderr"}}) {
        const std::string path = redirect_path(options, verb, option);
        if (path.empty()) continue;
        JsonObject target = file_stream(path);
        if (options.label_io) target["label"] = true;
        set_path(io, fmt::format("output.{}", stream), Json(std::move(target)));
    }
    if (options.unbuffered) {
        set_path(io, "output.stdout.buffer.type", Json("none"));
        set_path(io, "output.stderr.buffer.type", Json("none"));
        set_path(io, "output.batch-timeout", Json(0.05));
        set_path(io, "input.batch-timeout", Json(0.0));
    }
    return io;
}

int signal_number(std::string_view name) {
    int number = 0;
    const char* end = name.data() + name.size();
    const auto parsed = std::from_chars(name.data(), end, number);
    if (parsed.ec == std::errc{} && parsed.ptr == end) return number;
    if (name.starts_with("SIG")) name.remove_prefix(3);
    for (int signum = 1; signum < NSIG; ++signum)
        if (const char* known = ::sigabbrev_np(signum); known && name == known) return signum;
    return 0;
}

Result<JsonObject> signal_option(const std::string& text) {
    const std::size_t at = text.find('@');
    const std::string name = text.substr(0, at);
    JsonObject option;
    option["signum"] = signal_default;
    option["timeleft"] = timeleft_default_s;
    if (!name.empty()) {
        const int signum = signal_number(name);
        if (signum == 0 && name.find_first_not_of("0123456789") != std::string::npos)
            return fail(EINVAL, "signal '{}' is invalid", name);
        if (signum <= 0) return fail(EINVAL, "signal must be > 0");
        option["signum"] = signum;
    }
    if (at != std::string::npos) {
        const Result<double> seconds = fsd_parse(text.substr(at + 1));
        if (!seconds) return fail(EINVAL, "invalid Flux standard duration");
        option["timeleft"] = *seconds;
    }
    return option;
}

}  // namespace sluice
