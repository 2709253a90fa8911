// flux job memo: attaches key=value notes to a job.
#include "cmd/client.hpp"
#include "cmd/job/job_commands.hpp"

namespace sluice {

namespace {

constexpr CliStyle style = CliStyle::c_tool;

/// Values that are JSON are taken as such, others as text.
Result<JsonObject> parse_memo(const std::vector<std::string>& words) {
    JsonObject memo;
    for (auto word = std::next(words.begin()); word != words.end(); ++word) {
        const std::size_t equals = word->find('=');
        if (equals == word->npos) return fail(EINVAL, "memo: no value for key={}", *word);
        const std::string text = word->substr(equals + 1);
        const auto value = parse_json(text);
        set_path(memo, word->substr(0, equals), value ? *value : Json(text));
    }
    return memo;
}

}  // namespace

int job_memo(int argc, char** argv) {
    Cli cli{"flux-job memo", style, "[OPTIONS] ID KEY=VALUE...", "Post a memo to a job."};
    bool is_volatile = false;
    cli.flag("--volatile", is_volatile, "leave no entry in the eventlog");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() < 2) return cli.usage_error("wants a job id and KEY=VALUE");
    const auto id = jobid_argument(cli.words().front(), style);
    if (!id) return cli.error(id.error().text());
    auto memo = parse_memo(cli.words());
    if (!memo) return cli.error(memo.error().text());
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    JsonObject request;
    request["id"] = id->value;
    request["volatile"] = is_volatile;
    request["memo"] = std::move(*memo);
    const auto reply = flux->call("job-manager.memo", request);
    return reply ? 0 : cli.error("memo: " + reply.error().text());
}

}  // namespace sluice
