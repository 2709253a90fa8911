// flux update: asks for changes of a job's jobspec.
#include <fmt/format.h>

#include <cmath>

#include "base/rfc/fsd.hpp"
#include "cmd/client.hpp"
#include "cmd/commands.hpp"
#include "cmd/job_query.hpp"

namespace sluice {

namespace {

constexpr CliStyle style = CliStyle::python_tool;
constexpr std::string_view duration_key = "attributes.system.duration";

std::string full_key(const std::string& key) {
    if (key == "name") return "attributes.system.job.name";
    return key.starts_with("attributes.") ? key : "attributes.system." + key;
}

Result<double> current_duration(Handle& flux, JobId id) {
    SLUICE_TRY(const JsonObject jobspec, current_jobspec(flux, id));
    const Json* duration = find_path(jobspec, duration_key);
    return duration ? as_number(*duration).value_or(0) : 0;
}

/// An absolute duration, or "+FSD" and "-FSD" from the current one; infinite is 0.
Result<double> new_duration(Handle& flux, JobId id, const std::string& word,
                            const std::string& value) {
    const bool relative = value.starts_with('+') || value.starts_with('-');
    const auto seconds = fsd_parse(relative ? value.substr(1) : value);
    if (!seconds) return fail(EINVAL, "invalid Flux standard duration");
    if (!relative) return std::isinf(*seconds) ? 0 : *seconds;
    SLUICE_TRY(const double current, current_duration(flux, id));
    if (current == 0)
        return fail(EINVAL, "duration for {} is unlimited; give an absolute duration", word);
    const double changed = value.front() == '+' ? current + *seconds : current - *seconds;
    if (changed <= 0)
        return fail(EINVAL, "current duration for {} ({}) cannot be reduced by {}", word,
                    fsd_format(current), fsd_format(*seconds));
    return changed;
}

Result<JsonObject> parse_updates(Handle& flux, JobId id, const std::vector<std::string>& words) {
    JsonObject updates;
    for (std::size_t i = 1; i < words.size(); ++i) {
        const std::size_t equals = words[i].find('=');
        if (equals == std::string::npos)
            return fail(EINVAL, "{}: missing value, expected KEY=VALUE", words[i]);
        const std::string key = full_key(words[i].substr(0, equals));
        const std::string value = words[i].substr(equals + 1);
        if (key == duration_key) {
            SLUICE_TRY(updates[key], new_duration(flux, id, words[0], value));
            continue;
        }
        const auto json = parse_json(value);
        updates[key] = json ? *json : Json(value);
    }
    return updates;
}

/// A running job's new expiration is in force with the resource-update event that follows the
/// jobspec-update.
Result<void> wait_for_effect(Handle& flux, JobId id, const JsonObject& updates) {
    bool running = false;
    bool updated = false;
    return watch_eventlog(flux, {id}, std::nullopt, [&](const std::string& line) {
        const auto event = decode_event(line);
        if (!event) return Watch::go_on;
        if (event->name == "alloc") running = true;
        const bool ours = event->name == "jobspec-update" && event->context == updates;
        if (ours) updated = true;
        if (updated && (!running || event->name == "resource-update" || event->name == "finish"))
            return Watch::stop;
        return Watch::go_on;
    });
}

}  // namespace

int cmd_update(int argc, char** argv) {
    Cli cli{"flux-update", style, "[-h] [-n] [-v] [--wait] JOBID KEY=VALUE...",
            "Update attributes of a job."};
    bool dry_run = false;
    bool verbose = false;
    bool wait = false;
    cli.flag("-n,--dry-run", dry_run, "print the updates as JSON, do not send them");
    cli.flag("-v,--verbose", verbose, "print what was updated");
    cli.flag("--wait", wait, "wait until the update is in force");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() < 2)
        return cli.usage_error("the following arguments are required: JOBID, KEY=VALUE");
    const auto id = jobid_argument(cli.words().front(), style);
    if (!id) return cli.error(id.error().text());
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    const auto updates = parse_updates(*flux, *id, cli.words());
    if (!updates) return cli.error(updates.error().text());
    if (dry_run) return write_stdout(dump_json_spaced(Json(*updates)) + "\n"), 0;
    JsonObject request;
    request["id"] = id->value;
    request["updates"] = *updates;
    const auto reply = flux->call("job-manager.update", request);
    if (!reply) return cli.error(reply.error().text());
    if (verbose)
        for (const auto& [key, value] : *updates)
            fmt::print(stderr, "flux-update: INFO: updated {} to {}\n", std::string_view{key},
                       dump_json(value));
    if (wait)
        if (const auto waited = wait_for_effect(*flux, *id, *updates); !waited)
            return cli.error(waited.error().text());
    return 0;
}

}  // namespace sluice
