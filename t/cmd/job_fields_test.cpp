#include "cmd/format/job_fields.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "cmd/format/job_formats.hpp"
#include "cmd/format/table.hpp"

namespace sluice {
namespace {

constexpr double now = 1578403860;  // 2020-01-07 13:31:00 UTC

JobRow job(std::string_view json) {
    ::setenv("TZ", "UTC", 1);
    JobRow row;
    row.json = *parse_json_object(json);
    row.now = now;
    row.username = "alice";
    return row;
}

std::string text(const JobRow& row, std::string_view field) {
    EXPECT_TRUE(job_heading(field)) << field;
    return plain_text(job_field(row, field));
}

TEST(JobFields, SpellIdsInEveryForm) {
    const JobRow row = job(R"({"id":1234})");
    EXPECT_EQ(text(row, "id"), "ƒNH");
    EXPECT_EQ(text(row, "id.f58plain"), "fNH");
    EXPECT_EQ(text(row, "id.hex"), "0x4d2");
    EXPECT_EQ(text(row, "id.kvs"), "job.0000.0000.0000.04d2");
    EXPECT_EQ(plain_text(job_field(row, "id.dec")), "1234");
}

TEST(JobFields, NameStatusByStateAndThenByResult) {
    const JobRow held = job(R"({"id":1,"state":8})");
    EXPECT_EQ(text(held, "status"), "SCHED");
    EXPECT_EQ(text(held, "status_abbrev"), "S");
    EXPECT_EQ(text(held, "result"), "");
    const JobRow ended = job(R"({"id":1,"state":64,"result":8,"success":false})");
    EXPECT_EQ(text(ended, "state"), "INACTIVE");
    EXPECT_EQ(text(ended, "status"), "TIMEOUT");
    EXPECT_EQ(text(ended, "status_abbrev"), "TO");
    EXPECT_EQ(text(ended, "result_abbrev"), "TO");
    EXPECT_EQ(text(ended, "success"), "False");
}

TEST(JobFields, TellTimes) {
    const JobRow pending = job(R"({"id":1,"state":8,"duration":5400.0})");
    EXPECT_EQ(text(pending, "contextual_time"), "5400.0");
    EXPECT_EQ(text(pending, "runtime"), "0.0");
    EXPECT_EQ(text(pending, "t_run"), "");
    const JobRow running =
        job(R"({"id":1,"state":16,"duration":5400,"t_run":1578403850.0,"expiration":1578403960})");
    EXPECT_EQ(text(running, "contextual_time"), "10.0");
    EXPECT_EQ(text(running, "t_remaining"), "100.0");
    EXPECT_EQ(text(running, "duration"), "5400.0");
    const JobRow ended = job(R"({"id":1,"state":64,"t_run":100.0,"t_cleanup":102.5,
                                 "expiration":9e9})");
    EXPECT_EQ(text(ended, "runtime"), "2.5");
    EXPECT_EQ(text(ended, "t_remaining"), "0.0");
}

TEST(JobFields, ExplainWhatAPendingJobWaitsFor) {
    const struct {
        const char* json;
        const char* info;
    } cases[] = {
        {R"({"state":4})", "priority-wait"},
        {R"({"state":8,"urgency":0,"priority":0})", "held"},
        {R"({"state":8,"urgency":16,"priority":0})", "priority-hold"},
        {R"({"state":8,"urgency":16,"priority":16})", ""},
        {R"({"state":8,"annotations":{"sched":{"reason_pending":"resources: 2 cores wanted"}}})",
         ""},
        {R"({"state":8,"annotations":{"sched":{"t_estimate":1578404460.0}}})", "eta:10m"},
        {R"({"state":8,"annotations":{"sched":{"t_estimate":1578403800.0}}})", "eta:now"},
        {R"({"state":2,"dependencies":["after-success=ƒ1","singleton"]})",
         "depends:after-success=ƒ1,singleton"},
        {R"({"state":2,"dependencies":["begin-time=1578405600.0"]})", "depends:begin@14:00"},
        {R"({"state":2,"dependencies":["begin-time=1578405605"]})", "depends:begin@14:00:05"},
        {R"({"state":2,"dependencies":["begin-time=1578492000.0"]})", "depends:begin@Jan08-14:00"},
        {R"({"state":16,"nodelist":"node[1-2]"})", "node[1-2]"},
        {R"({"state":64})", ""}};
    for (const auto& c : cases) EXPECT_EQ(text(job(c.json), "contextual_info"), c.info) << c.json;
}

TEST(JobFields, TellReturnCodesAndReasons) {
    const struct {
        const char* json;
        const char* code;
        const char* reason;
    } cases[] = {
        {R"({"state":64,"result":1,"waitstatus":0})", "0", "Exit 0"},
        {R"({"state":64,"result":2,"waitstatus":768})", "3", "Exit 3"},
        {R"({"state":64,"result":2,"waitstatus":36608})", "143", "Terminated"},
        {R"({"state":64,"result":2,"waitstatus":9})", "-9", "Killed"},
        {R"({"state":64,"result":2,"waitstatus":32512,"exception_occurred":true,
             "exception_type":"exec","exception_note":"x"})",
         "127", "command not found"},
        {R"({"state":64,"result":2,"waitstatus":32256})", "126", "Command invoked cannot execute"},
        {R"({"state":64,"result":2,"exception_occurred":true,"exception_type":"alloc",
             "exception_note":"too big"})",
         "1", "Exception: type=alloc note=too big"},
        {R"({"state":64,"result":2,"exception_occurred":true,"exception_type":"abort"})", "1",
         "Exception: type=abort"},
        {R"({"state":64,"result":4,"exception_note":"not today"})", "-128", "Canceled: not today"},
        {R"({"state":64,"result":4,"waitstatus":36608})", "143", "Canceled"},
        {R"({"state":64,"result":8,"waitstatus":36352})", "142", "Timeout"},
        {R"({"state":16})", "", ""}};
    for (const auto& c : cases) {
        EXPECT_EQ(text(job(c.json), "returncode"), c.code) << c.json;
        EXPECT_EQ(text(job(c.json), "inactive_reason"), c.reason) << c.json;
    }
}

TEST(JobFields, PrintAnnotationsAsTextOrJson) {
    const JobRow row = job(R"({"annotations":{"user":{"a":"x","n":7},
                               "sched":{"resource_summary":"rank0/core0"}}})");
    EXPECT_EQ(text(row, "user"), R"({"a": "x", "n": 7})");
    EXPECT_EQ(text(row, "user.n"), "7");
    EXPECT_EQ(text(row, "annotations.user.a"), "x");
    EXPECT_EQ(text(row, "sched.resource_summary"), "rank0/core0");
    EXPECT_EQ(text(row, "annotations.nosuch.key"), "");
    EXPECT_EQ(text(job("{}"), "annotations"), "");
    EXPECT_EQ(*job_heading("annotations.foo.bar"), "ANNOTATIONS.FOO.BAR");
    EXPECT_EQ(*job_heading("annotations.sched.t_estimate"), "T_ESTIMATE");
}

TEST(JobFields, AskJobListForWhatTheyNeed) {
    EXPECT_THAT(job_attributes({"id", "name", "runtime", "name"}),
                testing::ElementsAre("name", "t_run", "t_cleanup"));
    EXPECT_THAT(job_attributes({"annotations.x"}), testing::ElementsAre("annotations", "state"));
    EXPECT_FALSE(job_heading("nosuch"));
    EXPECT_EQ(*job_heading("instance.resources.allocated.ncores"), "USED");
    EXPECT_FALSE(job_heading("instance.resources.allocated.nbananas"));
}

TEST(JobFields, LeaveUnsetKeysOutOfJson) {
    EXPECT_EQ(
        dump_json(job_to_json(job(R"({"id":1234,"state":8,"urgency":0,"priority":0,
                  "userid":1000,"name":"sleep","duration":0.0,"ntasks":1,"t_submit":5.5})"))),
        R"({"name":"sleep","ntasks":1,"priority":0,"id":1234,"t_submit":5.5,"state":"SCHED",)"
        R"("username":"alice","userid":1000,"urgency":0,"status":"SCHED",)"
        R"("dependencies":[],"jobid":"ƒNH","annotations":{},"exception":{"occurred":false}})");
    const JsonObject ended =
        job_to_json(job(R"({"id":1,"state":64,"result":4,"success":false,"exception_occurred":true,
                "exception_severity":0,"exception_type":"cancel","exception_note":"because"})"));
    EXPECT_EQ(dump_json(ended.at("exception")),
              R"({"occurred":true,"severity":0,"type":"cancel","note":"because"})");
    EXPECT_EQ(dump_json(ended.at("returncode")), "-128");
    EXPECT_EQ(dump_json(ended.at("success")), "false");
}

TEST(JobFormats, AllParseAndPrintTheDefaultTable) {
    const FormatCatalog catalogs[] = {jobs_formats(), pgrep_formats()};
    for (const FormatCatalog& catalog : catalogs)
        for (const NamedFormat& named : catalog.formats)
            EXPECT_TRUE(OutputFormat::parse(named.format, job_heading)) << named.name;
    const JobRow row = job(R"({"id":1234,"state":16,"name":"longname_12","ntasks":4,"nnodes":2,
                               "t_run":1578403800.0,"nodelist":"node[1-2]"})");
    const auto format = OutputFormat::parse(catalogs[0].formats[0].format, job_heading);
    Table table{*format};
    table.add([&](std::string_view field) { return job_field(row, field); });
    EXPECT_EQ(table.text(),
              "       JOBID USER     NAME       ST NTASKS NNODES     TIME INFO\n"
              "         ƒNH alice    longname_+  R      4      2       1m node[1-2]\n");
}

}  // namespace
}  // namespace sluice
