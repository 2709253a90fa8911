#include "cmd/options/job_expression.hpp"

#include <gtest/gtest.h>

namespace sluice {
namespace {

JobRow job(std::string_view json) {
    JobRow row;
    row.json = *parse_json_object(json);
    return row;
}

bool matches(std::vector<std::string> words, std::string_view json) {
    const auto predicate = parse_job_expression(words);
    EXPECT_TRUE(predicate) << (predicate ? "" : predicate.error().text());
    return predicate && (*predicate)(job(json));
}

std::string error(std::vector<std::string> words) {
    const auto predicate = parse_job_expression(words);
    return predicate ? "none" : predicate.error().text();
}

TEST(JobExpression, FindsAPatternAnywhereInTheName) {
    EXPECT_TRUE(matches({"lph"}, R"({"name":"alpha"})"));
    EXPECT_TRUE(matches({"^a.*[a-z]$"}, R"({"name":"alpha"})"));
    EXPECT_FALSE(matches({"omega"}, R"({"name":"alpha"})"));
    EXPECT_TRUE(matches({"cwd:/home"}, R"({"cwd":"/home/x"})"));
}

TEST(JobExpression, ComparesNumbersWithClosedRanges) {
    EXPECT_TRUE(matches({"ntasks:2..4"}, R"({"ntasks":4})"));
    EXPECT_FALSE(matches({"ntasks:2..4"}, R"({"ntasks":5})"));
    EXPECT_TRUE(matches({"duration:1h"}, R"({"duration":3600.0})"));
    EXPECT_FALSE(matches({"nnodes:0"}, R"({"name":"no nodes known"})"));
}

TEST(JobExpression, MatchesIdsHostsAndRanks) {
    EXPECT_TRUE(matches({"jobid:ƒNH"}, R"({"id":1234})"));
    EXPECT_TRUE(matches({"host:node[2-3]"}, R"({"nodelist":"node[1-2]"})"));
    EXPECT_FALSE(matches({"rank:4"}, R"({"ranks":"[1-2]"})"));
}

TEST(JobExpression, CombinesTerms) {
    const char* alpha = R"({"name":"alpha","ntasks":2})";
    EXPECT_TRUE(matches({"alpha", "ntasks:2"}, alpha));
    EXPECT_FALSE(matches({"alpha", "and", "ntasks:3"}, alpha));
    EXPECT_TRUE(matches({"ntasks:3", "or", "alpha"}, alpha));
    EXPECT_FALSE(matches({"not", "(", "ntasks:3", "or", "alpha", ")"}, alpha));
}

TEST(JobExpression, NamesFaultsInTheWordsOfTheReference) {
    EXPECT_EQ(error({"alpha["}), "unterminated character set at position 5");
    EXPECT_EQ(error({"alpha", "alpha"}), "Only one pattern can be provided");
    EXPECT_EQ(error({"a(b"}), "missing ), unterminated subpattern at position 1");
    EXPECT_EQ(error({"a)"}), "unbalanced parenthesis at position 1");
    EXPECT_EQ(error({"*"}), "nothing to repeat at position 0");
    EXPECT_EQ(error({"a\\"}), "bad escape (end of pattern) at position 1");
    EXPECT_EQ(error({"jobid:no%good"}), "no%good is not a valid Flux jobid");
    EXPECT_EQ(error({"ntasks:many"}), "ntasks: expected integer or float, got 'many'");
    EXPECT_NE(error({"colour:red"}).find("unknown term 'colour'"), std::string::npos);
    EXPECT_EQ(error({"("}), "Unexpected end of expression");
    EXPECT_EQ(error({"(", "a"}), "missing ')'");
    EXPECT_EQ(error({")"}), "unbalanced parenthesis at position 0");
}

}  // namespace
}  // namespace sluice
