#include "base/rfc/constraint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice {
namespace {

using testing::HasSubstr;

Constraint constraint(std::string_view text) {
    auto parsed = Constraint::from_json(*parse_json(text));
    EXPECT_TRUE(parsed) << text;
    return parsed.value_or({});
}

TEST(ConstraintMatch, FollowsTheOperators) {
    const std::string host = "n3";
    const std::vector<std::string> properties = {"amd", "big"};
    const ConstraintNode node{3, host, properties};
    const std::pair<std::string_view, bool> rows[] = {
        {"{}", true},
        {R"({"properties":["amd"]})", true},
        {R"({"properties":["amd","big"]})", true},
        {R"({"properties":["amd","gpu"]})", false},
        {R"({"properties":["^gpu"]})", true},
        {R"({"properties":["^amd"]})", false},
        {R"({"properties":[]})", true},
        {R"({"hostlist":["n[0-3]"]})", true},
        {R"({"hostlist":["n1","n2"]})", false},
        {R"({"ranks":["0-2","3"]})", true},
        {R"({"ranks":["4"]})", false},
        {R"({"not":[{"ranks":["4"]}]})", true},
        {R"({"not":[{"properties":["amd"]}]})", false},
        {R"({"or":[{"ranks":["4"]},{"hostlist":["n3"]}]})", true},
        {R"({"or":[{"ranks":["4"]},{"hostlist":["n4"]}]})", false},
        {R"({"and":[{"properties":["amd","^x"]},{"not":[{"hostlist":["n1"]}]}]})", true},
        {R"({"and":[{"properties":["amd"]},{"ranks":["0"]}]})", false},
        {R"({"properties":["amd"],"ranks":["0"]})", false},
        {R"({"and":[]})", true},
        {R"({"or":[]})", true},
    };
    for (const auto& [text, expected] : rows)
        EXPECT_EQ(constraint(text).matches(node), expected) << text;
}

TEST(ConstraintParse, RefusesAndNamesTheFault) {
    const std::pair<std::string_view, std::string_view> rows[] = {
        {"[]", "object"},
        {R"({"foo":[]})", "unknown constraint operator 'foo'"},
        {R"({"and":{}})", "and operator value must be an array"},
        {R"({"and":[{"bar":[]}]})", "unknown constraint operator 'bar'"},
        {R"({"and":["x"]})", "object"},
        {R"({"properties":[1]})", "string"},
        {R"({"properties":["a^b"]})", "invalid character '^' in property"},
        {R"({"properties":["^"]})", "empty"},
        {R"({"hostlist":["n["]})", "hostlist"},
        {R"({"ranks":["x"]})", "ranks"},
    };
    for (const auto& [text, expected] : rows) {
        const auto parsed = Constraint::from_json(*parse_json(text));
        ASSERT_FALSE(parsed) << text;
        EXPECT_EQ(parsed.error().errnum(), EINVAL);
        EXPECT_THAT(parsed.error().text(), HasSubstr(expected));
    }
}

TEST(ConstraintParse, AnEmptyOneSaysSo) {
    EXPECT_TRUE(constraint("{}").empty());
    EXPECT_TRUE(Constraint{}.empty());
    EXPECT_FALSE(constraint(R"({"ranks":["0"]})").empty());
}

}  // namespace
}  // namespace sluice
