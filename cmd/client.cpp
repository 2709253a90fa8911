#include "cmd/client.hpp"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "base/rfc/fluid.hpp"
#include "base/rfc/fsd.hpp"

namespace sluice {

namespace {

constexpr double seconds_max = 1e9;  // a timer for longer overflows; nobody waits that long

/// Tells when a time has passed, if there is a limit.
class TimeLimit {
  public:
    TimeLimit(Handle& flux, std::optional<double> seconds) : timer_(flux.io()) {
        if (!seconds || *seconds > seconds_max) return;
        timer_.expires_after(std::chrono::duration_cast<std::chrono::nanoseconds>(
            std::chrono::duration<double>(*seconds)));
        // Shared, because a handler that is already due may run after this object has gone.
        timer_.async_wait([expired = expired_](const boost::system::error_code& error) {
            if (!error) *expired = true;
        });
    }
    bool expired() const { return *expired_; }

  private:
    boost::asio::steady_timer timer_;
    std::shared_ptr<bool> expired_ = std::make_shared<bool>(false);
};

Error connection_lost() {
    return Error{ECONNRESET};
}

}  // namespace

std::string connect_error(const Error& error, CliStyle style) {
    if (style == CliStyle::c_tool) return "flux_open: " + error.text();
    std::string reason = error.text();
    const char* uri = std::getenv("FLUX_URI");
    const auto path = uri ? local_socket_path(uri) : Error{ENOENT};
    if (error.errnum() == ENOENT && path)
        reason = fmt::format("broker socket {} was not found", *path);
    return "Unable to connect to Flux: " + reason;
}

std::optional<Handle> open_flux(const Cli& cli, CliStyle style) {
    Result<Handle> flux = Handle::open();
    if (flux) return std::move(*flux);
    cli.error(connect_error(flux.error(), style));
    return std::nullopt;
}

Result<JsonObject> call_within(Handle& flux, std::string_view topic, const JsonObject& payload,
                               RpcOptions options, std::optional<double> seconds) {
    std::optional<Result<JsonObject>> answer;
    const TimeLimit limit{flux, seconds};
    const Matchtag tag =
        flux.send(topic, payload, options, [&](const Reply& reply) { answer = reply.json(); });
    const bool connected = flux.run_until([&] { return answer || limit.expired(); });
    if (answer) return std::move(*answer);
    flux.forget(tag);
    if (!connected) return connection_lost();
    return Error{ETIMEDOUT};
}

Result<void> for_each_response(Handle& flux, std::string_view topic, const JsonObject& payload,
                               const std::function<void(JsonObject)>& on_item) {
    std::optional<Error> end;
    flux.send(topic, payload, {.streaming = true}, [&](const Reply& reply) {
        if (auto item = reply.json())
            on_item(std::move(*item));
        else
            end = item.error();
    });
    if (!flux.run_until([&] { return end.has_value(); })) return connection_lost();
    if (end->errnum() == ENODATA) return {};
    return *end;
}

Result<void> watch_responses(Handle& flux, std::string_view topic, RpcOptions options,
                             std::optional<double> seconds,
                             const std::function<Watch(JsonObject)>& on_item) {
    std::optional<Error> end;
    bool stopped = false;
    const TimeLimit limit{flux, seconds};
    options.streaming = true;
    const Matchtag tag = flux.send(topic, JsonObject{}, options, [&](const Reply& reply) {
        auto item = reply.json();
        if (!item)
            end = item.error();
        else if (!stopped)
            stopped = on_item(std::move(*item)) == Watch::stop;
    });
    const bool connected = flux.run_until([&] { return end || stopped || limit.expired(); });
    if (!end) flux.forget(tag);
    if (stopped || (end && end->errnum() == ENODATA)) return {};
    if (end) return *end;
    if (!connected) return connection_lost();
    return Error{ETIMEDOUT};
}

Result<void> watch_eventlog(Handle& flux, const EventlogPath& log, std::optional<double> seconds,
                            const std::function<Watch(const std::string& line)>& on_event) {
    std::optional<Error> end;
    bool stopped = false;
    const TimeLimit limit{flux, seconds};
    JsonObject request;
    request["id"] = log.id.value;
    request["path"] = log.path;
    request["flags"] = log.wait_for_creation ? 1 : 0;
    const auto on_reply = [&](const Reply& reply) {
        if (stopped) return;
        const auto payload = reply.json();
        if (!payload) {
            end = payload.error();
            return;
        }
        JsonReader in{*payload};
        const std::string line = in.string("event");
        if (!in)
            end = in.error();
        else
            stopped = on_event(line) == Watch::stop;
    };
    const Matchtag tag =
        flux.send("job-info.eventlog-watch", request, {.streaming = true}, on_reply);
    const bool connected =
        flux.run_until([&] { return stopped || end.has_value() || limit.expired(); });
    if (!end) {
        flux.forget(tag);
        flux.cancel("job-info.eventlog-watch-cancel", tag);
    }
    if (stopped) return {};
    if (end) return end->errnum() == ENODATA ? Result<void>{} : Result<void>{*end};
    if (!connected) return connection_lost();
    return Error{ETIMEDOUT};
}

Result<UserId> find_user(std::string_view user) {
    if (user == "all") return userid_unknown;
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(user.data(), user.data() + user.size(), number);
    if (error == std::errc{} && end == user.data() + user.size()) return UserId{number};
    const passwd* entry = ::getpwnam(std::string(user).c_str());
    if (!entry) return fail(EINVAL, "Invalid user {} specified", user);
    return UserId{entry->pw_uid};
}

std::string user_name(UserId id) {
    const passwd* entry = ::getpwuid(id.value);
    return entry ? std::string(entry->pw_name) : std::to_string(id.value);
}

std::string host_name() {
    std::array<char, 256> name{};
    ::gethostname(name.data(), name.size() - 1);
    return name.data();
}

Result<JobId> jobid_argument(std::string_view text, CliStyle style) {
    if (auto id = fluid_decode(text)) return id;
    if (style == CliStyle::c_tool) return fail(EINVAL, "error parsing jobid: \"{}\"", text);
    return fail(EINVAL, "{} is not a valid Flux jobid", text);
}

Result<std::vector<JobId>> jobid_words(const std::vector<std::string>& words) {
    std::vector<JobId> ids;
    for (const std::string& word : words) {
        const auto id = fluid_decode(word);
        if (!id) return fail(EINVAL, "argument JOBID: invalid JobID value: '{}'", word);
        ids.push_back(*id);
    }
    return ids;
}

Cli::Apply duration_into(std::optional<double>& to) {
    return [&to](const std::optional<std::string>& text) -> Result<void> {
        SLUICE_TRY(to, fsd_parse(text.value_or("")));
        return {};
    };
}

Result<std::int64_t> parse_integer(std::string_view text) {
    std::int64_t number = 0;
    if (text.starts_with('+')) text.remove_prefix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size())
        return fail(EINVAL, "invalid int value: '{}'", text);
    return number;
}

Cli::Apply integer_into(std::int64_t& to) {
    return [&to](const std::optional<std::string>& text) -> Result<void> {
        SLUICE_TRY(to, parse_integer(text.value_or("")));
        return {};
    };
}

bool stdout_is_terminal() {
    return ::isatty(STDOUT_FILENO) == 1;
}

std::string read_stdin() {
    std::string text;
    std::array<char, 65536> chunk;
    std::size_t n = 0;
    while ((n = std::fread(chunk.data(), 1, chunk.size(), stdin)) > 0) text.append(chunk.data(), n);
    return text;
}

void write_stdout(std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace sluice
