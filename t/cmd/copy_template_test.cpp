#include "cmd/copy_template.hpp"

#include <gtest/gtest.h>

namespace sluice {
namespace {

SubmitRequest built(const PlannedJob& job) {
    SubmitContext context;
    context.cwd = "/tmp";
    context.environment = {{"HOME", "/root"}, {"FLUX_JOB_CC", "old"}};
    auto request = build_submit_request(job.options, SubmitVerb::submit, {.command = job.command},
                                        context);
    EXPECT_TRUE(request) << request.error().text();
    return request.value_or(SubmitRequest{});
}

PlannedJob job(std::vector<OptionText> texts, std::vector<std::string> command = {"true"}) {
    PlannedJob job;
    job.options.texts = std::move(texts);
    job.command = std::move(command);
    return job;
}

/// How many of the copies 8 to 12 are made from the template; each must be as if it were built.
int templated(const PlannedJob& job) {
    CopyTemplate copies;
    int count = 0;
    for (const Idset::Id id : {8u, 9u, 10u, 11u, 12u}) {
        const auto copy = copy_job(job, id);
        EXPECT_TRUE(copy);
        const SubmitRequest wanted = built(*copy);
        if (const auto made = copies.request_for(*copy)) {
            EXPECT_EQ(made->jobspec, wanted.jobspec);
            EXPECT_EQ(made->urgency, wanted.urgency);
            ++count;
        } else {
            copies.remember(*copy, wanted);
        }
    }
    return count;
}

TEST(CopyTemplate, ServesCopiesThatDifferInTheirNumber) {
    EXPECT_EQ(templated(job({{"cc", "8-12"}})), 4);
    EXPECT_EQ(templated(job({{"bcc", "8-12"}, {"urgency", "20"}})), 4);
    EXPECT_EQ(templated(job({{"cc", "8-12"}, {"env", "X=\"FLUX_JOB_CC\": \"8\""}})), 4);
    EXPECT_EQ(templated(job({{"cc", "8-12"}}, {"echo", "\"FLUX_JOB_CC\": \"8\""})), 4);
}

TEST(CopyTemplate, LeavesAloneWhatTheNumberIsPartOf) {
    EXPECT_EQ(templated(job({{"cc", "8-12"}, {"job-name", "n{cc}"}})), 0);
    EXPECT_EQ(templated(job({{"bcc", "8-12"}}, {"echo", "{cc}"})), 0);
}

TEST(CopyTemplate, TakesNoJobForAnother) {
    CopyTemplate copies;
    const PlannedJob one = *copy_job(job({{"cc", "1-2"}}, {"one"}), 1);
    copies.remember(one, built(one));
    EXPECT_TRUE(copies.request_for(*copy_job(job({{"cc", "1-2"}}, {"one"}), 2)));
    EXPECT_FALSE(copies.request_for(*copy_job(job({{"cc", "1-2"}}, {"two"}), 2)));
    EXPECT_FALSE(copies.request_for(*copy_job(job({{"cc", "1-2"}, {"queue", "q"}}, {"one"}), 2)));
    EXPECT_FALSE(copies.request_for(job({{"cc", "1-2"}}, {"one"})));
}

}  // namespace
}  // namespace sluice
