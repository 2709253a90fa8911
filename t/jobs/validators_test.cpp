#include "broker/jobs/validators.hpp"

#include <gtest/gtest.h>

namespace sluice {
namespace {

Result<Validators> read(std::string_view table) {
    const auto config = parse_json_object(table);
    EXPECT_TRUE(config) << table;
    return Validators::from_config(*config);
}

Jobspec job(std::vector<std::string> command, std::uint32_t nodes, std::uint32_t slots) {
    Jobspec jobspec;
    jobspec.command = std::move(command);
    jobspec.request.nodes = nodes;
    jobspec.request.slots = slots;
    return jobspec;
}

TEST(Validators, AskNothingMoreByDefault) {
    EXPECT_FALSE(read("{}")->feasibility);
    EXPECT_FALSE(read(R"({"ingest":{"validator":{"plugins":["jobspec"]}}})")->feasibility);
    EXPECT_FALSE(
        read(R"({"ingest":{"validator":{"disable":true,"plugins":["feasibility"]}}})")
            ->feasibility);
    EXPECT_TRUE(
        read(R"({"ingest":{"validator":{"plugins":["jobspec","feasibility"]}}})")->feasibility);
}

TEST(Validators, NameTheKeyThatIsWrong) {
    EXPECT_EQ(read(R"({"ingest":{"validator":{"plugins":["feasability"]}}})").error().text(),
              "ingest.validator.plugins: unknown plugin 'feasability'; use jobspec, schema, "
              "feasibility or require-instance");
    EXPECT_FALSE(read(R"({"ingest":{"validator":{"plugins":"feasibility"}}})"));
    EXPECT_FALSE(read(R"({"ingest":{"validator":{"plugins":[1]}}})"));
    EXPECT_FALSE(read(R"({"ingest":{"validator":7}})"));
}

TEST(Validators, RequireAnInstanceFromTheSizeOn) {
    const auto all = read(R"({"ingest":{"validator":{"plugins":["require-instance"]}}})");
    EXPECT_TRUE(all->check_instance(job({"/usr/bin/flux", "broker"}, 0, 1)));
    EXPECT_TRUE(all->check_instance(job({"flux", "start"}, 0, 1)));
    EXPECT_EQ(all->check_instance(job({"true"}, 0, 1)).error().text(),
              "Direct job submission disabled for all jobs in this instance. Please use "
              "flux-batch(1) or flux-alloc(1)");
    const auto large = read(R"({"ingest":{"validator":{"plugins":["require-instance"],
                                "require-instance":{"minnodes":2,"mincores":8}}}})");
    EXPECT_TRUE(large->check_instance(job({"true"}, 1, 7)));
    EXPECT_FALSE(large->check_instance(job({"true"}, 2, 2)));
    EXPECT_FALSE(large->check_instance(job({"true"}, 0, 8)));
}

}  // namespace
}  // namespace sluice
