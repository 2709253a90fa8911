// flux job id, last, namespace: job ids and their spellings.
#include <fmt/format.h>

#include "base/rfc/fluid.hpp"
#include "base/words.hpp"
#include "cmd/client.hpp"
#include "cmd/format/output_format.hpp"
#include "cmd/job/job_commands.hpp"

namespace sluice {

namespace {

constexpr CliStyle style = CliStyle::c_tool;

std::vector<std::string> words_or_stdin(const Cli& cli) {
    return cli.words().empty() ? split_words(read_stdin(), '\n') : cli.words();
}

std::string_view trimmed(std::string_view word) {
    const std::size_t begin = word.find_first_not_of(" \t");
    if (begin == word.npos) return {};
    return word.substr(begin, word.find_last_not_of(" \t") - begin + 1);
}

/// The slice of the history that "N" or "[a:b:c]" means.
std::string history_slice(const std::string& word) {
    if (word.empty()) return "[:1]";
    return word.starts_with('[') ? word : "[:" + word + "]";
}

}  // namespace

int job_id(int argc, char** argv) {
    Cli cli{"flux-job id", style, "[OPTIONS] [ID...]", "Convert job ids to another form."};
    std::string to = "dec";
    cli.option("-t,--to=FORM", to, "dec, kvs, hex, dothex, f58 or f58plain");
    if (const auto code = cli.parse(argc, argv)) return *code;
    const auto form = fluid_form(to);
    if (!form) return cli.error("Unknown to=" + to);
    const std::vector<std::string> words = words_or_stdin(cli);
    for (const std::string& word : words) {
        const auto id = fluid_decode(trimmed(word));
        if (!id) return cli.error(word + ": malformed input");
        fmt::print("{}\n", fluid_encode(*id, *form));
    }
    return words.empty() ? 1 : 0;
}

int job_namespace(int argc, char** argv) {
    Cli cli{"flux-job namespace", style, "[ID...]", "Print the KVS namespace of jobs."};
    if (const auto code = cli.parse(argc, argv)) return *code;
    const std::vector<std::string> words = words_or_stdin(cli);
    for (const std::string& word : words) {
        const auto id = jobid_argument(word, style);
        if (!id) return cli.error(id.error().text());
        fmt::print("job-{}\n", id->value);
    }
    return words.empty() ? 1 : 0;
}

int job_last(int argc, char** argv) {
    Cli cli{"flux-job last", style, "[N|SLICE]", "Print the ids of my most recent jobs."};
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() > 1) return cli.usage_error("too many arguments");
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    JsonObject request;
    request["slice"] = history_slice(cli.words().empty() ? "" : cli.words().front());
    const auto reply = flux->call("job-manager.history.get", request);
    if (!reply) return cli.error(reply.error().text());
    JsonReader in{*reply};
    const JsonArray& jobs = in.array("jobs");
    if (!in) return cli.error(in.error().text());
    if (jobs.empty()) return cli.error("job history is empty");
    for (const Json& id : jobs)
        fmt::print("{}\n", to_f58(JobId{static_cast<std::uint64_t>(as_integer(id).value_or(0))}));
    return 0;
}

}  // namespace sluice
