// flux lptest: lines of a known pattern, to test that output comes through whole.
#include <fmt/format.h>

#include "cmd/client.hpp"
#include "cmd/commands.hpp"

namespace sluice {

int cmd_lptest(int argc, char** argv) {
    Cli cli("flux-lptest", CliStyle::c_tool, "[LENGTH [COUNT]]",
            "Print COUNT (200) lines of LENGTH (79) characters, each begun one further.");
    if (const auto code = cli.parse(argc, argv)) return *code;
    const auto& words = cli.words();
    if (words.size() > 2) return cli.usage_error("give LENGTH and COUNT only");
    const auto length = words.empty() ? Result<std::int64_t>{79} : parse_integer(words[0]);
    const auto count = words.size() < 2 ? Result<std::int64_t>{200} : parse_integer(words[1]);
    if (!length || *length < 1) return cli.usage_error("LENGTH must be a number above 0");
    if (!count || *count < 0) return cli.usage_error("COUNT must be a number, 0 or more");
    constexpr char first = '!', last = '~';
    constexpr int pattern = last - first + 1;
    std::string line(static_cast<std::size_t>(*length), ' ');
    for (std::int64_t row = 0; row < *count; ++row) {
        for (std::int64_t i = 0; i < *length; ++i)
            line[static_cast<std::size_t>(i)] = static_cast<char>(first + (row + i) % pattern);
        write_stdout(line + "\n");
    }
    return 0;
}

}  // namespace sluice
