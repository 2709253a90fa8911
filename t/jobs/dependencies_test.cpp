#include "broker/jobs/dependencies.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rfc/fluid.hpp"
#include "t/jobs/job_builder.hpp"

namespace sluice {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class DependenciesTest : public testing::Test {
  protected:
    Job& add(std::uint64_t id, std::string name = "true") {
        JobBuilder builder{id};
        builder.named(std::move(name));
        jobs_[JobId{id}] = builder.take();
        return *jobs_[JobId{id}];
    }
    static Jobspec jobspec(const std::string& dependencies, bool named = true) {
        Jobspec jobspec;
        jobspec.json = *parse_json_object(
            R"({"attributes":{"system":{"dependencies":)" + dependencies +
            (named ? R"(,"job":{"name":"x"})" : "") + "}}}");
        return jobspec;
    }
    static std::string one(const std::string& scheme, const std::string& value) {
        return R"([{"scheme":")" + scheme + R"(","value":")" + value + R"("}])";
    }
    void finish(Job& job, JobResult result, double t_run) {
        job.state = JobState::inactive;
        job.result = result;
        job.t_run = t_run;
    }
    std::map<JobId, std::unique_ptr<Job>> jobs_;
    Dependencies dependencies_{[this](JobId id) -> const Job* {
        const auto found = jobs_.find(id);
        return found == jobs_.end() ? nullptr : found->second.get();
    }};
};

TEST_F(DependenciesTest, RefusesWhatCannotBe) {
    Job& job = add(1);
    const auto text = [&](const std::string& list, bool named = true) {
        const auto added = dependencies_.add(job, jobspec(list, named));
        return added ? std::string{"accepted"} : added.error().text();
    };
    EXPECT_EQ(text(one("nosuch", "1")), "dependency scheme \"nosuch\" not supported");
    EXPECT_EQ(text(one("afterok", "99")), "dependency: afterok: id 99: job not found");
    EXPECT_EQ(text(one("afterok", "not!valid")),
              "dependency: afterok: \"not!valid\" is not a valid jobid");
    EXPECT_EQ(text(one("singleton", ""), false), "singleton jobs require a job name");
    EXPECT_EQ(text(one("begin-time", "soon")), "Invalid begin-time=soon");
    jobs_[JobId{2}] = JobBuilder{2}.take();
    jobs_[JobId{2}]->userid = UserId{5};
    EXPECT_EQ(text(one("afterany", "2")), "dependency: afterany: Permission denied for job 2");
}

TEST_F(DependenciesTest, OutcomesDecideEachScheme) {
    struct Row {
        const char* scheme;
        JobResult result;
        bool ran, satisfied;
        bool exception = false;
    };
    const Row rows[] = {
        {"afterexcept", JobResult::failed, true, false},
        {"afterexcept", JobResult::failed, true, true, true},
        {"afterexcept", JobResult::canceled, false, false, true},
        {"afterexcept", JobResult::completed, true, false},
        {"afterok", JobResult::completed, true, true},
        {"afterok", JobResult::failed, true, false},
        {"afterok", JobResult::canceled, false, false},
        {"afternotok", JobResult::completed, true, false},
        {"afternotok", JobResult::failed, true, true},
        {"afternotok", JobResult::canceled, false, false},
        {"afterany", JobResult::completed, true, true},
        {"afterany", JobResult::canceled, false, true},
        {"afterstart", JobResult::canceled, false, false},
    };
    std::uint64_t id = 10;
    for (const Row& row : rows) {
        Job& target = add(id++);
        Job& waiter = add(id++);
        const auto added =
            dependencies_.add(waiter, jobspec(one(row.scheme, std::to_string(target.id.value))));
        ASSERT_TRUE(added) << added.error().text();
        ASSERT_EQ(added->size(), 1u);
        finish(target, row.result, row.ran ? 5 : 0);
        target.fatal = row.exception;
        const auto news = dependencies_.on_inactive(target);
        ASSERT_EQ(news.size(), 1u) << row.scheme;
        EXPECT_EQ(news[0].id, waiter.id);
        EXPECT_EQ(news[0].satisfied, row.satisfied) << row.scheme;
        EXPECT_EQ(news[0].description, added->front().description);
    }
}

TEST_F(DependenciesTest, AfterStartIsSatisfiedByTheStart) {
    add(1);
    Job& waiter = add(2);
    ASSERT_TRUE(dependencies_.add(waiter, jobspec(one("after", "1"))));
    EXPECT_THAT(dependencies_.on_start(JobId{1}),
                ElementsAre(DependencyNews{JobId{2}, "after-start=" + to_f58(JobId{1}), true, {}}));
    EXPECT_THAT(dependencies_.on_start(JobId{1}), IsEmpty());
}

TEST_F(DependenciesTest, FinishedJobsAreDecidedAtOnce) {
    Job& done = add(1);
    finish(done, JobResult::completed, 3);
    Job& job = add(2);
    EXPECT_THAT(*dependencies_.add(job, jobspec(one("afterok", "1"))),
                ElementsAre(AddedDependency{"after-success=" + to_f58(JobId{1}), true}));
    EXPECT_THAT(dependencies_.on_inactive(done), IsEmpty());
}

TEST_F(DependenciesTest, OneThatCanNeverBeIsRefusedWithTheReason) {
    finish(add(1), JobResult::completed, 3);
    finish(add(2), JobResult::failed, 3);
    finish(add(3), JobResult::canceled, 0);
    Job& job = add(4);
    const auto text = [&](const char* scheme, const char* id) {
        return dependencies_.add(job, jobspec(one(scheme, id))).error().text();
    };
    EXPECT_EQ(text("afternotok", "1"), "dependency: afternotok: job 1 succeeded");
    EXPECT_EQ(text("afterexcept", "2"), "dependency: afterexcept: job 2: no exception");
    EXPECT_EQ(text("afterok", "2"), "dependency: afterok: job 2 failed or was canceled");
    EXPECT_EQ(text("afternotok", "3"), "dependency: after: 3 never started");
    EXPECT_EQ(text("after", "3"), "dependency: after: 3 never started");
}

TEST_F(DependenciesTest, BeginTimesComeInOrder) {
    Job& a = add(1);
    Job& b = add(2);
    ASSERT_TRUE(dependencies_.add(a, jobspec(one("begin-time", "200.5"))));
    ASSERT_TRUE(dependencies_.add(b, jobspec(one("begin-time", "100"))));
    EXPECT_EQ(dependencies_.next_time(), 100);
    EXPECT_THAT(dependencies_.on_time(150),
                ElementsAre(DependencyNews{JobId{2}, "begin-time=100.000", true, {}}));
    EXPECT_EQ(dependencies_.next_time(), 200.5);
}

TEST_F(DependenciesTest, SingletonsOfOneNameRunOneAfterTheOther) {
    std::vector<std::vector<AddedDependency>> added;
    const AddedDependency waits{"singleton"};
    for (std::uint64_t id = 1; id <= 3; ++id)
        added.push_back(*dependencies_.add(add(id, "solo"), jobspec(one("singleton", ""))));
    EXPECT_THAT(added, ElementsAre(IsEmpty(), ElementsAre(waits), ElementsAre(waits)));
    EXPECT_THAT(*dependencies_.add(add(4, "other"), jobspec(one("singleton", ""))), IsEmpty());
    finish(*jobs_[JobId{1}], JobResult::completed, 1);
    EXPECT_THAT(dependencies_.on_inactive(*jobs_[JobId{1}]),
                ElementsAre(DependencyNews{JobId{2}, "singleton", true, {}}));
    finish(*jobs_[JobId{2}], JobResult::completed, 1);
    EXPECT_THAT(dependencies_.on_inactive(*jobs_[JobId{2}]),
                ElementsAre(DependencyNews{JobId{3}, "singleton", true, {}}));
}

TEST_F(DependenciesTest, RestoredOnesAreCheckedAgain) {
    Job& gone = add(1);
    finish(gone, JobResult::completed, 1);
    Job& waiter = add(2);
    waiter.own_rare().dependencies = {"after-success=" + to_f58plain(JobId{1}),
                                       "after-finish=" + to_f58plain(JobId{99})};
    dependencies_.restore(waiter);
    const auto news = dependencies_.recheck();
    ASSERT_EQ(news.size(), 2u);
    for (const auto& entry : news) EXPECT_TRUE(entry.satisfied) << entry.description;
}

}  // namespace
}  // namespace sluice
