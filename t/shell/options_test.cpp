#include "shell/options.hpp"

#include <gtest/gtest.h>

namespace sluice::shell {
namespace {

Result<ShellOptions> read(std::string_view json) {
    const auto object = parse_json_object(json);
    EXPECT_TRUE(object) << json;
    return ShellOptions::from_json(&*object);
}

TEST(ShellOptionsFromJson, HasTheDefaultsOfTheReference) {
    const auto options = ShellOptions::from_json(nullptr);
    ASSERT_TRUE(options);
    EXPECT_EQ(options->exit_timeout, 30.0);
    EXPECT_TRUE(options->out.line_buffered);
    EXPECT_FALSE(options->err.line_buffered);
    EXPECT_EQ(options->cpu_affinity, "on");
    EXPECT_FALSE(options->pty);
}

TEST(ShellOptionsFromJson, LetsStderrFollowStdout) {
    auto options = read(R"({"output":{"stdout":{"type":"file","path":"o","label":true}}})");
    ASSERT_TRUE(options);
    EXPECT_EQ(options->err.type, StreamOptions::Type::file);
    EXPECT_EQ(options->err.path, "o");
    EXPECT_TRUE(options->err.label);
    options = read(R"({"output":{"stderr":{"type":"file","path":"e"}}})");
    ASSERT_TRUE(options);
    EXPECT_EQ(options->out.type, StreamOptions::Type::kvs);
    EXPECT_EQ(options->err.path, "e");
    options = read(R"({"output":{"stdout":{"buffer":{"type":"none"}},
                                 "stderr":{"buffer":{"type":"none"}},"batch-timeout":0.05}})");
    ASSERT_TRUE(options);
    EXPECT_FALSE(options->out.line_buffered);
    EXPECT_EQ(options->batch_timeout, 0.05);
}

TEST(ShellOptionsFromJson, ReadsTimeoutsAndSignals) {
    EXPECT_EQ(read(R"({"exit-timeout":"none"})")->exit_timeout, std::nullopt);
    EXPECT_EQ(read(R"({"exit-timeout":"2m"})")->exit_timeout, 120.0);
    EXPECT_EQ(read(R"({"exit-timeout":5})")->exit_timeout, 5.0);
    const auto bad = read(R"({"exit-timeout":"soon"})");
    ASSERT_FALSE(bad);
    EXPECT_EQ(bad.error().text(), "exit-timeout is not a valid Flux Standard Duration");
    EXPECT_EQ(read(R"({"signal":1})")->signal, (ShellOptions::Signal{10, 60.0}));
    EXPECT_EQ(read(R"({"signal":{"signum":2,"timeleft":5}})")->signal,
              (ShellOptions::Signal{2, 5.0}));
}

TEST(ShellOptionsFromJson, NamesWhatItRefuses) {
    for (const auto& [json, name] : {std::pair{R"({"pmi":"foo"})", "pmi: found 'foo'"},
                                     {R"({"mpi":"foo"})", "mpi: found 'foo'"},
                                     {R"({"rlimit":{"foo":9}})", "shell option rlimit.foo=9"},
                                     {R"({"signal":"USR1"})", "write --signal=SIG@TIME"},
                                     {R"({"sysmon":{"period":"x"}})", "sysmon.period"},
                                     {R"({"sysmon":{"period":0}})", "a duration above 0"},
                                     {R"({"userrc":"f.lua"})", "userrc: f.lua: "},
                                     {R"({"input":{"limit":"x"}})", "input.limit"}}) {
        const auto options = read(json);
        ASSERT_FALSE(options) << json;
        EXPECT_NE(options.error().text().find(name), std::string::npos) << options.error().text();
    }
}

TEST(ShellOptionsFromJson, OffersThePmiThatIsNamed) {
    EXPECT_TRUE(read("{}")->pmi);
    EXPECT_FALSE(read(R"({"pmi":"off"})")->pmi);
    EXPECT_TRUE(read(R"({"pmi":"pmi2"})")->pmi);
    EXPECT_FALSE(read(R"({"pmi":"pmix"})")->pmi);
    EXPECT_TRUE(read(R"({"pmi":"pmix,simple"})")->pmi);
    EXPECT_TRUE(read(R"({"pmi":"pmix,simple"})")->pmix);
    EXPECT_TRUE(read(R"({"mpi":"openmpi@5"})")->pmix);
    EXPECT_FALSE(read(R"({"mpi":"openmpi"})")->pmix);
}

TEST(ShellOptionsFromJson, KnowsTheFormsOfPty) {
    EXPECT_TRUE(read(R"({"pty":1})")->pty->all);
    const auto some = read(R"({"pty":{"ranks":"1,3"}})")->pty;
    EXPECT_TRUE(some->wanted(3));
    EXPECT_FALSE(some->wanted(2));
    EXPECT_TRUE(read(R"({"pty":{"ranks":1}})")->pty->wanted(1));
    const auto interactive = read(R"({"pty":{"interactive":1}})")->pty;
    EXPECT_TRUE(interactive->wanted(0));
    EXPECT_FALSE(interactive->wanted(1));
    EXPECT_FALSE(interactive->capture);
    EXPECT_TRUE(read(R"({"pty":{"interactive":1,"capture":1}})")->pty->capture);
}

TEST(ShellOptionsFromJson, ReadsWhatToStageIn) {
    EXPECT_FALSE(read("{}")->stage_in);
    EXPECT_EQ(read(R"({"stage-in":1})")->stage_in, ShellOptions::StageIn{});
    EXPECT_EQ(read(R"({"stage-in":{"names":"a,b","pattern":"*.c","destination":"global:/d"}})")
                  ->stage_in,
              (ShellOptions::StageIn{{"a", "b"}, "*.c", "/d", true, false}));
    EXPECT_EQ(read(R"({"stage-in":{"tags":"a","destination":"/d"}})")->stage_in,
              (ShellOptions::StageIn{{"a"}, std::nullopt, "/d", false, true}));
    EXPECT_EQ(read(R"({"stage-in":{"destination":"wrong:/d"}})").error().text(),
              "stage-in.destination: 'wrong:/d' must begin with local: or global:");
    EXPECT_FALSE(read(R"({"stage-in":{"badopt":1}})"));
}

TEST(ShellOptionsFromJson, ReadsTheOomScore) {
    EXPECT_EQ(read(R"({"oom":{"adjust":-1000}})")->oom_adjust, -1000);
    EXPECT_FALSE(read(R"({"oom":{"adjust":1001}})"));
    EXPECT_FALSE(read(R"({"oom":{"adjust":"x"}})"));
    EXPECT_FALSE(read(R"({"oom":{"other":1}})"));
}

TEST(ShellOptionsFromJson, NamesTheOptionThatIsWrong) {
    for (const char* text :
         {R"({"output":{"stdout":{"type":"smoke"}}})", R"({"output":{"stdout":{"type":"file"}}})",
          R"({"output":{"limit":"many"}})", R"({"rlimit":{"nofile":"x"}})",
          R"({"pmi-simple":{"exchange":{"k":0}}})", R"({"pty":{"ranks":"a"}})"})
        EXPECT_FALSE(read(text)) << text;
}

TEST(ShellOptions, KeepLessOutputOfGuests) {
    const auto owner = ShellOptions::from_json(nullptr);
    const auto guest = ShellOptions::from_json(nullptr, ShellOptions::for_guests());
    ASSERT_TRUE(owner && guest);
    EXPECT_EQ(owner->output_limit, 1u << 30);
    EXPECT_EQ(guest->output_limit, 10u << 20);
    EXPECT_EQ(guest->output_limit_text, "10M");
    const auto wish = *parse_json_object(R"({"output":{"limit":"20M"}})");
    EXPECT_EQ(ShellOptions::from_json(&wish, ShellOptions::for_guests())->output_limit, 20u << 20);
}

}  // namespace
}  // namespace sluice::shell
