// flux job submit: submits a jobspec as it is (JSON), from a file or standard input.
#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "base/rfc/fluid.hpp"
#include "base/rfc/jobspec.hpp"
#include "base/words.hpp"
#include "cmd/client.hpp"
#include "cmd/format/output_format.hpp"
#include "cmd/job/job_commands.hpp"

namespace sluice {

namespace {

constexpr CliStyle style = CliStyle::c_tool;

struct SubmitFlags {
    int bits = 0;            // as job-ingest takes them
    bool is_signed = false;  // the input is a J already
};

Result<SubmitFlags> parse_flags(const std::string& list) {
    SubmitFlags flags;
    for (const std::string& word : split_words(list)) {
        if (word == "debug")
            flags.bits |= 2;
        else if (word == "waitable")
            flags.bits |= 4;
        else if (word == "novalidate")
            flags.bits |= 8;
        else if (word == "signed")
            flags.is_signed = true;
        else
            return fail(EINVAL, "unknown flag: {}; flags are debug, waitable, signed, novalidate",
                        word);
    }
    return flags;
}

Result<std::string> read_input(const Cli& cli) {
    if (cli.words().empty() || cli.words().front() == "-") return read_stdin();
    const std::string& path = cli.words().front();
    std::ifstream in(path);
    if (!in) return Error{errno}.in(path);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

std::string stripped(std::string text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    return text;
}

}  // namespace

int job_submit(int argc, char** argv) {
    Cli cli{"flux-job submit", style, "[OPTIONS] [FILE]", "Submit a jobspec in JSON."};
    std::int64_t urgency = 16;
    std::string flag_list;
    cli.option("-u,--urgency=N", integer_into(urgency), "urgency, 0 to 31 (16)");
    cli.option("-f,--flags=FLAGS", flag_list, "debug, waitable, signed, novalidate");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() > 1) return cli.usage_error("too many arguments");
    const auto flags = parse_flags(flag_list);
    if (!flags) return cli.error(flags.error().text());
    const auto input = read_input(cli);
    if (!input) return cli.error(input.error().text());
    if (stripped(*input).empty()) return cli.error("required jobspec is empty");
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    JsonObject request;
    request["J"] = flags->is_signed ? stripped(*input) : sign_none(*input, UserId{::getuid()});
    request["urgency"] = urgency;
    request["flags"] = flags->bits;
    const auto reply = flux->call("job-ingest.submit", request);
    if (!reply) return cli.error(reply.error().text());
    JsonReader in{*reply};
    const auto id = in.integer("id");
    if (!in) return cli.error(in.error().text());
    fmt::print("{}\n", to_f58(JobId{static_cast<std::uint64_t>(id)}));
    return 0;
}

}  // namespace sluice
