// What the commands share on the client side: connecting, RPCs with a time limit, streams, job ids
// and users as people type them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/rfc/eventlog.hpp"
#include "base/rpc/handle.hpp"
#include "base/strong_id.hpp"
#include "cmd/cli.hpp"

namespace sluice {

/// Why the connection could not be made, in the words of the kind of tool.
std::string connect_error(const Error& error, CliStyle style);
/// The connection, or nullopt after printing why not in the style of the tool.
std::optional<Handle> open_flux(const Cli& cli, CliStyle style);

/// As Handle::call, for at most `seconds`. Errors: ETIMEDOUT.
Result<JsonObject> call_within(Handle& flux, std::string_view topic, const JsonObject& payload,
                               RpcOptions options, std::optional<double> seconds);

/// Sends a streaming request and gives each JSON response to `on_item` until the stream ends.
/// Errors: as the service sent, but not ENODATA.
Result<void> for_each_response(Handle& flux, std::string_view topic, const JsonObject& payload,
                               const std::function<void(JsonObject)>& on_item);

enum class Watch { go_on, stop };
/// As for_each_response, until `on_item` says stop or `seconds` have passed. Errors: ETIMEDOUT too.
Result<void> watch_responses(Handle& flux, std::string_view topic, RpcOptions options,
                             std::optional<double> seconds,
                             const std::function<Watch(JsonObject)>& on_item);

struct EventlogPath {
    JobId id;
    std::string path = "eventlog";
    bool wait_for_creation = false;
};
/// Gives each event of a job's eventlog, as its line, to `on_event`, until it says stop, the log
/// ends, or `seconds` have passed. Errors: as the service sent, ETIMEDOUT.
Result<void> watch_eventlog(Handle& flux, const EventlogPath& log, std::optional<double> seconds,
                            const std::function<Watch(const std::string& line)>& on_event);

/// The id of the running user, or of USER: a name, a number, or "all" (userid_unknown).
/// Errors: EINVAL "Invalid user X specified".
Result<UserId> find_user(std::string_view user);
std::string user_name(UserId id);
/// The name of this host, as gethostname(2) gives it.
std::string host_name();

/// A job id in any form, with the texts of the two kinds of tool.
Result<JobId> jobid_argument(std::string_view text, CliStyle style);
/// The words of a command that are job ids. Errors: EINVAL in the words of a usage error.
Result<std::vector<JobId>> jobid_words(const std::vector<std::string>& words);

/// Values of options: a duration (FSD), an integer.
Cli::Apply duration_into(std::optional<double>& to);
Cli::Apply integer_into(std::int64_t& to);
Result<std::int64_t> parse_integer(std::string_view text);

bool stdout_is_terminal();
/// Reads standard input to its end.
std::string read_stdin();
void write_stdout(std::string_view text);

}  // namespace sluice
