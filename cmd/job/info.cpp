// flux job info: prints an object of a job: J, R, jobspec, eventlog, guest.output …
#include "base/rfc/jobspec.hpp"
#include "cmd/client.hpp"
#include "cmd/job/job_commands.hpp"

namespace sluice {

namespace {

constexpr CliStyle style = CliStyle::c_tool;
constexpr int lookup_current = 2;  // apply jobspec-update and resource-update events

Result<std::string> lookup(Handle& flux, JobId id, const std::string& key, int flags) {
    JsonObject request;
    request["id"] = id.value;
    request["keys"] = JsonArray{Json(key)};
    request["flags"] = flags;
    SLUICE_TRY(const JsonObject reply, flux.call("job-info.lookup", request));
    JsonReader in{reply};
    std::string value = in.string(key);
    if (!in) return in.error();
    return value;
}

Result<std::string> original_jobspec(Handle& flux, JobId id) {
    SLUICE_TRY(const std::string j, lookup(flux, id, "J", 0));
    SLUICE_TRY(SignedJobspec jobspec, unwrap_signed(j));
    return std::move(jobspec.jobspec);
}

}  // namespace

int job_info(int argc, char** argv) {
    Cli cli{"flux-job info", style, "[OPTIONS] ID KEY", "Print an object of a job."};
    bool original = false;
    bool base = false;
    cli.flag("-o,--original", original, "the jobspec as it was submitted");
    cli.flag("-b,--base", base, "do not apply updates of the eventlog");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() != 2) return cli.usage_error("wants ID and KEY");
    const std::string& key = cli.words()[1];
    const auto id = jobid_argument(cli.words()[0], style);
    if (!id) return cli.error(id.error().text());
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    const bool updated = !base && (key == "R" || key == "jobspec");
    const auto value = original && key == "jobspec"
                           ? original_jobspec(*flux, *id)
                           : lookup(*flux, *id, key, updated ? lookup_current : 0);
    if (!value) return cli.error(value.error().text());
    write_stdout(*value);
    if (!value->ends_with('\n')) write_stdout("\n");
    return 0;
}

}  // namespace sluice
