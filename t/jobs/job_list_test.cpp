#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/jobs/job_attrs.hpp"
#include "broker/jobs/job_filter.hpp"
#include "broker/jobs/job_table.hpp"
#include "t/jobs/job_builder.hpp"

namespace sluice {
namespace {

using testing::ElementsAre;

bool matches(const char* constraint, const Job& job) {
    const auto filter = JobFilter::from_json(*parse_json(constraint));
    EXPECT_TRUE(filter) << constraint;
    return filter && filter->matches(job);
}

TEST(JobFilter, MatchesByTheOperatorsOfRfc43) {
    JobBuilder job{1};
    job.named("sleep").queue("batch").run();
    job->nodelist = "n[1-2]";
    job->ranks = "[1-2]";
    struct Row {
        const char* constraint;
        bool matches;
    };
    const Row rows[] = {
        {R"({"and":[]})", true},
        {R"({"userid":[1000]})", true},
        {R"({"userid":[1]})", false},
        {R"({"userid":[-1]})", true},
        {R"({"name":["x","sleep"]})", true},
        {R"({"queue":["debug"]})", false},
        {R"({"states":[16]})", true},
        {R"({"states":["running"]})", true},
        {R"({"states":["pending","inactive"]})", false},
        {R"({"results":["completed"]})", false},
        {R"({"hostlist":["n2"]})", true},
        {R"({"hostlist":["n3"]})", false},
        {R"({"ranks":["0-1"]})", true},
        {R"({"t_submit":[">=100"]})", true},
        {R"({"t_submit":["<50"]})", false},
        {R"({"t_inactive":[">=1"]})", false},
        {R"({"not":[{"name":["sleep"]}]})", false},
        {R"({"or":[{"name":["x"]},{"queue":["batch"]}]})", true},
        {R"({"and":[{"userid":[1000]},{"states":[14]}]})", false},
    };
    for (const Row& row : rows)
        EXPECT_EQ(matches(row.constraint, *job), row.matches) << row.constraint;
}

TEST(JobFilter, RefusesWhatItDoesNotUnderstand) {
    for (const char* constraint :
         {R"({"nosuch":[1]})", R"({"states":["sleeping"]})", R"({"userid":["me"]})", R"([])",
          R"({"t_run":["12"]})", R"({"and":1})", R"({"name":["a"],"queue":["b"]})"})
        EXPECT_FALSE(JobFilter::from_json(*parse_json(constraint))) << constraint;
}

std::string text_of(const JobAttrs& attrs, const Job& job) {
    std::string text;
    attrs.append(job, text);
    return text;
}

TEST(JobAttrs, EachIsThereOnce) {
    JobBuilder job{5};
    const auto attrs = JobAttrs::from_json(*parse_json(R"(["name","name","id"])")->if_array());
    EXPECT_EQ(text_of(*attrs, *job), R"({"id":5,"name":"true"})");
}

TEST(JobAttrs, UnsetOnesAreLeftOut) {
    JobBuilder job{5};
    job.sched();
    const auto attrs = JobAttrs::from_json(*parse_json(R"(["name","state","nodelist","result"])")
                                                ->if_array());
    ASSERT_TRUE(attrs);
    EXPECT_EQ(text_of(*attrs, *job), R"({"id":5,"name":"true","state":8})");
    const auto unknown = JobAttrs::from_json(*parse_json(R"(["foo"])")->if_array());
    EXPECT_EQ(unknown.error(), Error(EINVAL, "foo is not a valid attribute"));
}

TEST(JobAttrs, TimesAreRealsAndCountsAreIntegers) {
    JobBuilder job{5};
    job.run().end(0);
    job->ntasks = 2;
    const auto attrs = JobAttrs::from_json(*parse_json(R"(["all"])")->if_array());
    const std::string text = text_of(*attrs, *job);
    EXPECT_THAT(text, testing::HasSubstr(R"("t_submit":101.0)"));
    EXPECT_THAT(text, testing::HasSubstr(R"("ntasks":2)"));
    EXPECT_THAT(text, testing::HasSubstr(R"("success":true)"));
    EXPECT_THAT(text, testing::HasSubstr(R"("duration":0.0)"));
}

TEST(JobAttrs, DependenciesStayEmptyOnceTheyAreMet) {
    // t/wire/transcripts/job-list.jsonl: the key tells that there were some
    const auto attrs = JobAttrs::from_json(*parse_json(R"(["dependencies"])")->if_array());
    JobBuilder job{5};
    EXPECT_EQ(text_of(*attrs, *job), R"({"id":5})");
    job.event("dependency-add", {{"description", "after-success=f1"}});
    EXPECT_EQ(text_of(*attrs, *job), R"({"id":5,"dependencies":["after-success=f1"]})");
    job.event("dependency-remove", {{"description", "after-success=f1"}});
    EXPECT_EQ(text_of(*attrs, *job), R"({"id":5,"dependencies":[]})");
}

TEST(JobAttrs, ExpirationIsThereOnceTheJobRuns) {
    // flux job timeleft of stock clients insists on a real
    const auto attrs = JobAttrs::from_json(*parse_json(R"(["expiration"])")->if_array());
    JobBuilder job{5};
    job.sched();
    EXPECT_EQ(text_of(*attrs, *job), R"({"id":5})");
    JobBuilder running{6};
    running.run();
    EXPECT_EQ(text_of(*attrs, *running), R"({"id":6,"expiration":0.0})");
}

class JobTableTest : public testing::Test {
  protected:
    std::vector<std::string> names() {
        std::vector<std::string> names;
        JobTable::Walk walk{table_};
        while (const Job* job = walk.next()) names.push_back(job->name);
        return names;
    }
    JobTable table_;
};

TEST_F(JobTableTest, ListsPendingByPriorityThenRunningThenInactiveNewestFirst) {
    table_.add(JobBuilder{1}.named("low").sched(10).take());
    table_.add(JobBuilder{2}.named("high").sched(30).take());
    table_.add(JobBuilder{3}.named("busy").run().take());
    for (const std::uint64_t id : {4, 5}) {
        JobBuilder builder{id};
        builder.named(id == 4 ? "done1" : "done2").run().end(0);
        builder->t_inactive = static_cast<double>(id);
        Job& job = table_.add(builder.take());
        EXPECT_TRUE(job.inactive());
    }
    EXPECT_THAT(names(), ElementsAre("high", "low", "busy", "done2", "done1"));
    EXPECT_EQ(table_.active_count(), 3u);
    EXPECT_EQ(table_.inactive_count(), 2u);
    EXPECT_TRUE(table_.any(job_states::running));
    table_.erase(JobId{4});
    EXPECT_THAT(names(), ElementsAre("high", "low", "busy", "done2"));
}

TEST_F(JobTableTest, AWalkGoesOnInATableThatChanges) {
    const auto end = [&](std::uint64_t id, double time) {
        Job& job = *table_.find(JobId{id});
        job.state = JobState::inactive;
        job.t_inactive = time;
        table_.retire(job);
    };
    for (std::uint64_t id = 1; id <= 8; ++id)
        table_.add(JobBuilder{id}.named(std::to_string(id)).run().take());
    for (std::uint64_t id = 1; id <= 6; ++id) end(id, static_cast<double>(id));
    table_.find(JobId{7})->t_run = 1;
    table_.find(JobId{8})->t_run = 2;

    JobTable::Walk walk{table_};
    const auto next = [&] {
        const Job* job = walk.next();
        return job ? job->name : "end";
    };
    EXPECT_EQ(next(), "8");
    end(8, 10);  // listed already
    end(7, 11);
    EXPECT_EQ(next(), "7");
    EXPECT_EQ(next(), "6");
    table_.erase(JobId{1});
    table_.erase(JobId{5});
    EXPECT_EQ(next(), "4");
    table_.erase(JobId{4});
    EXPECT_EQ(next(), "3");
    EXPECT_EQ(next(), "2");
    EXPECT_EQ(next(), "end");
}

TEST_F(JobTableTest, WalksJobsThatEndedAtOneTime) {
    for (std::uint64_t id = 1; id <= 3; ++id) {
        JobBuilder builder{id};
        builder.named(std::to_string(id)).run().end(0);
        builder->t_inactive = 5;
        table_.add(builder.take());
    }
    EXPECT_THAT(names(), ElementsAre("3", "2", "1"));
}

TEST_F(JobTableTest, CountsComeFromTheTable) {
    table_.add(JobBuilder{1}.queue("batch").run().end(0).take());
    table_.add(JobBuilder{2}.queue("batch").sched(0).take());
    table_.add(JobBuilder{3}.run().fatal("timeout").end(36352).take());
    const auto counts = table_.counts_by_queue();
    EXPECT_EQ(counts.at("batch").total(), 2u);
    EXPECT_EQ(counts.at("batch").successful, 1u);
    EXPECT_EQ(counts.at("").timeout, 1u);
}

TEST_F(JobTableTest, CountsFollowTheLifeOfJobs) {
    Job& job = table_.add(JobBuilder{1}.queue("batch").run().take());
    table_.add(JobBuilder{2}.queue("batch").sched(0).take());
    EXPECT_EQ(table_.counts_by_queue().at("batch").run, 1u);
    job.state = JobState::inactive;
    job.result = JobResult::failed;
    table_.retire(job);
    EXPECT_EQ(table_.counts_by_queue().at("batch").run, 0u);
    EXPECT_EQ(table_.counts_by_queue().at("batch").inactive, 1u);
    EXPECT_EQ(table_.counts_by_queue().at("batch").failed, 1u);
    table_.erase(JobId{1});
    EXPECT_EQ(table_.counts_by_queue().at("batch").total(), 1u);
    EXPECT_EQ(table_.counts_by_queue().at("batch").failed, 0u);
    table_.erase(JobId{2});
    EXPECT_EQ(table_.counts_by_queue().at("batch").total(), 0u);
}

TEST_F(JobTableTest, RetiredJobsKeepOnlyTheirRow) {
    Job& job = table_.add(JobBuilder{1}.run().take());
    EXPECT_TRUE(job.active);
    job.state = JobState::inactive;
    table_.retire(job);
    EXPECT_FALSE(table_.find(JobId{1})->active);
    EXPECT_EQ(table_.active_count(), 0u);
    EXPECT_EQ(table_.inactive().front()->id, JobId{1});
}

}  // namespace
}  // namespace sluice
