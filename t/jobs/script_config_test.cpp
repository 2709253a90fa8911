#include "broker/jobs/script_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.hpp"

namespace sluice {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<ScriptConfig> parse(std::string_view manager, std::string_view exec = "{}") {
    const std::string text =
        fmt::format(R"({{"job-manager":{},"exec":{}}})", manager, exec);
    const auto config = parse_json_object(text);
    if (!config) return config.error();
    return ScriptConfig::from_config(*config);
}

std::string fault(std::string_view manager) {
    const auto config = parse(manager);
    return config ? "none" : config.error().text();
}

TEST(ScriptConfig, NothingIsConfiguredByDefault) {
    const auto config = parse("{}");
    ASSERT_TRUE(config);
    EXPECT_FALSE(config->prolog || config->epilog || config->housekeeping);
}

TEST(ScriptConfig, DefaultsDifferBetweenPrologAndEpilog) {
    const auto config =
        parse(R"({"prolog":{"command":["a","b"]},"epilog":{"command":["c"],"per-rank":true}})");
    ASSERT_TRUE(config);
    EXPECT_EQ(config->prolog, (PerilogConfig{.command = {"a", "b"},
                                             .per_rank = false,
                                             .cancel_on_exception = true,
                                             .timeout = 1800,
                                             .kill_timeout = 60}));
    EXPECT_EQ(config->epilog, (PerilogConfig{.command = {"c"},
                                             .per_rank = true,
                                             .cancel_on_exception = false,
                                             .timeout = 0,
                                             .kill_timeout = 60}));
}

TEST(ScriptConfig, AnInfiniteTimeoutIsNone) {
    const auto config =
        parse(R"({"prolog":{"command":["a"],"timeout":"infinity","kill-timeout":0.5}})");
    ASSERT_TRUE(config);
    EXPECT_EQ(config->prolog->timeout, 0);
    EXPECT_EQ(config->prolog->kill_timeout, 0.5);
}

TEST(ScriptConfig, WithoutACommandTheImpRunsIt) {
    const auto config = parse(R"({"prolog":{},"housekeeping":{}})", R"({"imp":"/x/flux-imp"})");
    ASSERT_TRUE(config);
    EXPECT_THAT(config->prolog->command, ElementsAre("/x/flux-imp", "run", "prolog"));
    EXPECT_THAT(config->housekeeping->command, ElementsAre("/x/flux-imp", "run", "housekeeping"));
}

TEST(ScriptConfig, ReleaseAfter) {
    const auto after = [](std::string_view value) {
        const auto config = parse(fmt::format(
            R"({{"housekeeping":{{"command":["a"],"release-after":"{}"}}}})", value));
        return config ? config->housekeeping->release_after : -2;
    };
    EXPECT_EQ(after("0"), 0);
    EXPECT_EQ(after("1m"), 60);
    EXPECT_EQ(after("inf"), -1);
    EXPECT_EQ(after("foo"), -2);
}

// Texts that scripts written for the reference look for.
TEST(ScriptConfig, FaultsNameTheTableAndTheKey) {
    const std::pair<const char*, const char*> cases[] = {
        {R"({"prolog":{"command":"foo"}})", "command must be an array"},
        {R"({"prolog":{"command":["foo"],"timeout":"5x"}})", "invalid prolog timeout"},
        {R"({"epilog":{"command":["foo"],"timeout":"5p"}})", "invalid epilog timeout"},
        {R"({"prolog":{}})", "no command specified"},
        {R"({"prolog":{"command":[1,2]}})", "malformed prolog command"},
        {R"({"prolog":{"command":["foo"],"foo":1}})", "1 object item(s) left unpacked: foo"},
        {R"({"prolog":{"command":["foo"],"per-rank":1}})", "[job-manager.prolog]: per-rank"},
        {R"({"perilog":{"log-ignore":"foo"}})", "not an array"},
        {R"({"perilog":{"log-ignore":["["]}})", "failed to compile"},
        {R"({"housekeeping":{"xyz":42}})", "left unpacked"},
        {R"({"housekeeping":{}})", "exec.imp is undefined"},
        {R"({"housekeeping":{"command":["a"],"release-after":"foo"}})", "FSD parse error"},
    };
    for (const auto& [manager, text] : cases) EXPECT_THAT(fault(manager), HasSubstr(text));
}

TEST(ScriptConfig, EmptyAndIgnoredLinesAreNotLogged) {
    const auto config = parse(R"({"perilog":{"log-ignore":["^foo","ba[rz]"]}})");
    ASSERT_TRUE(config);
    EXPECT_TRUE(config->log_ignore.drops(" \t"));
    EXPECT_TRUE(config->log_ignore.drops("foolish"));
    EXPECT_TRUE(config->log_ignore.drops("a baz"));
    EXPECT_FALSE(config->log_ignore.drops("a foo"));
    EXPECT_TRUE(LogFilter{}.drops(""));
    EXPECT_FALSE(LogFilter{}.drops("foo"));
}

}  // namespace
}  // namespace sluice
