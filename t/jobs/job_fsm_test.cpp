#include "broker/jobs/job_fsm.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "t/jobs/job_builder.hpp"

namespace sluice {
namespace {

TEST(JobFsm, FollowsTheNormalOrderOfEvents) {
    JobBuilder job{1};
    EXPECT_EQ(job->state, JobState::new_);
    EXPECT_EQ(job.event("validate")->state, JobState::depend);
    EXPECT_EQ(next_action(*job, true), JobAction::post_depend);
    EXPECT_EQ(job.event("depend")->state, JobState::priority);
    EXPECT_EQ(next_action(*job, true), JobAction::post_priority);
    EXPECT_EQ(job.event("priority", {{"priority", 16}})->state, JobState::sched);
    EXPECT_EQ(next_action(*job, true), JobAction::request_alloc);
    EXPECT_EQ(job.event("alloc")->state, JobState::run);
    EXPECT_EQ(next_action(*job, true), JobAction::start);
    job->active->exec = true;
    EXPECT_EQ(next_action(*job, true), std::nullopt);
    EXPECT_EQ(job.event("finish", {{"status", 0}})->state, JobState::cleanup);
    EXPECT_EQ(next_action(*job, true), std::nullopt);  // until the final release
    job.event("release", {{"ranks", "all"}, {"final", true}});
    EXPECT_EQ(next_action(*job, true), JobAction::free);
    job.event("free");
    EXPECT_EQ(next_action(*job, true), JobAction::post_clean);
    EXPECT_EQ(job.event("clean")->state, JobState::inactive);
    EXPECT_EQ(job->result, JobResult::completed);
    EXPECT_TRUE(job->success());
}

TEST(JobFsm, ResultFollowsStatusAndException) {
    struct Row {
        int status;
        const char* exception;
        JobResult result;
    };
    const Row rows[] = {
        {0, nullptr, JobResult::completed},        {768, nullptr, JobResult::failed},
        {36608, "cancel", JobResult::canceled},    {36352, "timeout", JobResult::timeout},
        {32512, "exec", JobResult::failed},
    };
    for (const Row& row : rows) {
        JobBuilder job{1};
        job.run();
        if (row.exception) job.fatal(row.exception);
        EXPECT_EQ(job.end(row.status)->result, row.result) << row.status;
    }
}

TEST(JobFsm, CancelledWhilePendingSkipsStartAndFree) {
    JobBuilder job{1};
    job.sched(0).fatal("cancel");
    EXPECT_EQ(job->state, JobState::cleanup);
    EXPECT_EQ(next_action(*job, true), JobAction::post_clean);
    EXPECT_EQ(job.event("clean")->result, JobResult::canceled);
    EXPECT_EQ(job->t_run, 0);
    EXPECT_FALSE(job->waitstatus);
}

TEST(JobFsm, ExceptionDuringAllocWaitsForTheScheduler) {
    JobBuilder job{1};
    job.sched();
    job->active->alloc = ActiveJob::Alloc::pending;
    job.fatal("cancel");
    EXPECT_EQ(next_action(*job, true), JobAction::cancel_alloc);
    job->active->alloc = ActiveJob::Alloc::cancelling;
    EXPECT_EQ(next_action(*job, true), std::nullopt);
    job->active->alloc = ActiveJob::Alloc::none;
    EXPECT_EQ(next_action(*job, true), JobAction::post_clean);
}

TEST(JobFsm, HeldJobsAndStoppedQueuesAskForNothing) {
    JobBuilder held{1};
    held.sched(0);
    EXPECT_EQ(next_action(*held, true), std::nullopt);
    JobBuilder job{2};
    job.sched();
    EXPECT_EQ(next_action(*job, false), std::nullopt);
    job->active->alloc = ActiveJob::Alloc::pending;
    EXPECT_EQ(next_action(*job, false), JobAction::cancel_alloc);
}

TEST(JobFsm, UrgencyGoesBackToPriority) {
    JobBuilder job{1};
    job.sched().event("urgency", {{"userid", 1000}, {"urgency", 31}});
    EXPECT_EQ(job->state, JobState::priority);
    EXPECT_EQ(job->urgency, 31);
    EXPECT_EQ(priority_of(31), 4294967295);
    EXPECT_EQ(priority_of(0), 0);
    EXPECT_EQ(priority_of(30), 30);
}

TEST(JobFsm, TheWorstExceptionIsKeptAndOnlySeverityZeroEndsTheJob) {
    JobBuilder job{1};
    job.sched().event("exception", {{"type", "warn"}, {"severity", 2}, {"note", "look"}});
    EXPECT_EQ(job->state, JobState::sched);
    job.event("exception", {{"type", "stop"}, {"severity", 0}, {"note", "here"}});
    EXPECT_EQ(job->state, JobState::cleanup);
    EXPECT_EQ(*job->rare().exception, (JobException{"stop", 0, "here"}));
    job.event("exception", {{"type", "later"}, {"severity", 0}, {"note", ""}});
    EXPECT_EQ(job->rare().exception->type, "stop");
}

TEST(JobFsm, EventsInTheWrongStateChangeNothing) {
    JobBuilder job{1};
    for (const char* name : {"depend", "alloc", "clean"})
        EXPECT_FALSE(apply_event(*job, make_event(name))) << name;
    EXPECT_FALSE(apply_event(*job, make_event("finish", {{"status", 0}})));
    EXPECT_EQ(job->state, JobState::new_);
    EXPECT_FALSE(apply_event(*job, make_event("exception", {{"type", "x"}, {"severity", 1}})));
    EXPECT_FALSE(job->rare().exception);  // a note is required
}

TEST(JobFsm, APrologHoldsTheStart) {
    JobBuilder job{1};
    const JsonObject ours{{"description", "job-manager.prolog"}};
    job.sched().event("alloc").event("prolog-start", ours);
    EXPECT_EQ(next_action(*job, true), std::nullopt);
    job.event("prolog-start", {{"description", "other"}});
    job.event("prolog-finish", {{"description", "job-manager.prolog"}, {"status", 0}});
    EXPECT_EQ(next_action(*job, true), std::nullopt);
    EXPECT_FALSE(apply_event(*job, make_event("prolog-finish", ours)));
    job.event("prolog-finish", {{"description", "other"}, {"status", 0}});
    EXPECT_EQ(next_action(*job, true), JobAction::start);
}

TEST(JobFsm, AnEpilogHoldsTheResources) {
    JobBuilder job{1};
    const JsonObject ours{{"description", "job-manager.epilog"}};
    job.run().event("finish", {{"status", 0}}).event("epilog-start", ours);
    job.event("release", {{"ranks", "all"}, {"final", true}});
    EXPECT_EQ(next_action(*job, true), std::nullopt);
    job.event("epilog-finish", {{"description", "job-manager.epilog"}, {"status", 0}});
    EXPECT_EQ(next_action(*job, true), JobAction::free);
}

TEST(JobFsm, AJobCancelledInItsPrologKeepsItsResourcesUntilThatIsOver) {
    JobBuilder job{1};
    const JsonObject ours{{"description", "job-manager.prolog"}};
    job.sched().event("alloc").event("prolog-start", ours).fatal("cancel");
    EXPECT_EQ(job->state, JobState::cleanup);
    EXPECT_EQ(next_action(*job, true), std::nullopt);
    job.event("prolog-finish", {{"description", "job-manager.prolog"}, {"status", 15}});
    EXPECT_EQ(next_action(*job, true), JobAction::free);
}

TEST(JobFsm, TheSameFaultOfAnotherShellIsAnEcho) {
    JobBuilder job{1};
    job.run();
    const ExceptionInfo fault{.type = "exec", .severity = 0, .note = "shell: no such option"};
    EXPECT_FALSE(is_echo(*job, fault));
    job.event("exception", {{"type", "exec"}, {"severity", 0}, {"note", fault.note}});
    EXPECT_TRUE(is_echo(*job, fault));
    EXPECT_FALSE(is_echo(*job, {.type = "exec", .severity = 0, .note = "other"}));
    EXPECT_FALSE(is_echo(*job, {.type = "exec", .severity = 1, .note = fault.note}));
    EXPECT_FALSE(is_echo(*job, {.type = "cancel", .severity = 0, .note = fault.note}));
}

TEST(JobFsm, TheSameFaultOfAnotherTaskIsAnEchoWhereverItRan) {
    JobBuilder job{1};
    const auto start_failed = [](std::string place, std::string why) {
        return ExceptionInfo{.type = "exec",
                             .severity = 0,
                             .note = place + ": start failed: /no/prog: " + why};
    };
    const std::string gone = "No such file or directory";
    job.run().event("exception", {{"type", "exec"},
                                  {"severity", 0},
                                  {"note", start_failed("task 0 (host n0)", gone).note}});
    EXPECT_TRUE(is_echo(*job, start_failed("task 1 (host n1)", gone)));
    EXPECT_FALSE(is_echo(*job, start_failed("task 1 (host n1)", "Permission denied")));
}

TEST(JobFsm, AnnotationsMergeAndNullRemoves) {
    Annotations annotations;
    EXPECT_TRUE(annotations.empty());
    annotations.merge(*parse_json_object(R"({"sched":{"a":1,"b":2},"user":{"x":"y"}})"));
    annotations.merge(*parse_json_object(R"({"sched":{"a":null,"b":3}})"));
    EXPECT_EQ(annotations.text(), R"({"sched":{"b":3},"user":{"x":"y"}})");
    annotations.merge(*parse_json_object(R"({"sched":null})"));
    EXPECT_EQ(annotations.text(), R"({"user":{"x":"y"}})");
    annotations.merge(*parse_json_object(R"({"user":null})"));
    EXPECT_TRUE(annotations.empty());
}

TEST(JobRow, SurvivesTheStore) {
    JobBuilder job{77};
    job.named("sleep").run().fatal("cancel").end(36608);
    job->annotations.merge({{"user", {{"k", "v"}}}});
    job->own_rare().dependencies = {"after-success=f1"};
    job->had_dependencies = true;
    job->nodelist = "n[0-1]";
    job->queue = "batch";
    const JsonObject row = row_to_json(*job);
    const auto back = row_from_json(row);
    ASSERT_TRUE(back);
    EXPECT_EQ(dump_json(row_to_json(**back)), dump_json(row));
    EXPECT_EQ((*back)->result, JobResult::canceled);
    EXPECT_TRUE((*back)->inactive());
}

}  // namespace
}  // namespace sluice
