#include "cmd/options/job_filter.hpp"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(JobFilter, ReadsStatesAndResultsInAnyCase) {
    EXPECT_EQ(*parse_state_filter("pending"), (StateFilter{14, 0}));
    EXPECT_EQ(*parse_state_filter("SCHED,run"), (StateFilter{24, 0}));
    EXPECT_EQ(*parse_state_filter("failed,Active"), (StateFilter{62, 2}));
    EXPECT_EQ(parse_state_filter("run,sleeping").error().text(),
              "Invalid filter specified: sleeping");
}

TEST(JobFilter, TakesOnlyActiveStatesForCancel) {
    EXPECT_EQ(*parse_active_states("PENDING"), 14u);
    EXPECT_EQ(*parse_active_states("run,sched"), 24u);
    EXPECT_EQ(parse_active_states("inactive").error().text(), "Invalid state inactive specified");
    EXPECT_EQ(parse_active_states("bogus").error().text(), "Invalid state bogus specified");
}

TEST(JobFilter, BuildsTheConstraintStockClientsSend) {
    JobFilter filter;
    EXPECT_EQ(dump_json(filter_constraint(filter)), R"({"and":[{"states":[62]}]})");
    filter.user = UserId{1000};
    filter.name = "sh";
    filter.states = {0, job_result::failed};
    EXPECT_EQ(dump_json(filter_constraint(filter)),
              R"({"and":[{"userid":[1000]},{"name":["sh"]},{"results":[2]}]})");
    filter = {};
    filter.queues = {"batch", "debug"};
    filter.include = "0-3";
    filter.states = {job_state::pending, job_result::failed};
    EXPECT_EQ(dump_json(filter_constraint(filter)),
              R"({"and":[{"queue":["batch","debug"]},{"ranks":["0-3"]},)"
              R"({"or":[{"states":[14]},{"results":[2]}]}]})");
    filter = {};
    filter.include = "node[1-2]";
    EXPECT_EQ(dump_json(filter_constraint(filter)),
              R"({"and":[{"hostlist":["node[1-2]"]},{"states":[62]}]})");
}

TEST(JobFilter, NamesStatesAndResults) {
    EXPECT_EQ(state_name(8), "SCHED");
    EXPECT_EQ(state_letter(64), "I");
    EXPECT_EQ(result_name(8), "TIMEOUT");
    EXPECT_EQ(result_abbreviation(1), "CD");
    EXPECT_EQ(state_name(3), "");
}

}  // namespace
}  // namespace sluice
