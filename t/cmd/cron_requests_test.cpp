#include "cmd/cron/cron_requests.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace sluice {
namespace {

TEST(CronRequests, ReadCrontabLines) {
    const auto line = parse_crontab_line(" */5 0-3  1 2,12 mon  echo 'a b'  # now and then");
    ASSERT_TRUE(line);
    EXPECT_EQ(dump_json(Json(line->fields)),
              R"({"minute":"*/5","hour":"0-3","mday":"1","month":"1,11","weekday":"mon"})");
    EXPECT_EQ(line->command, "echo 'a b'");
    EXPECT_EQ(parse_crontab_line("0 0 * */3 7 x")->fields["month"], "*/3");
    EXPECT_EQ(parse_crontab_line("0 0 * jan-mar 7 x")->fields["month"], "jan-mar");
    EXPECT_EQ(parse_crontab_line("0 0 * 1 7 x")->fields["weekday"], "0");
    EXPECT_EQ(parse_crontab_line("# a comment")->command, "");
    EXPECT_EQ(parse_crontab_line("   ")->command, "");
}

TEST(CronRequests, RefuseWhatIsNoCrontabLine) {
    EXPECT_EQ(parse_crontab_line("1 2 3").error().text(),
              "crontab line '1 2 3': want five fields and a command");
    EXPECT_EQ(parse_crontab_line("1 2 3 13 * x").error().text(),
              "crontab line '1 2 3 13 * x': month '13': use 1 to 12 or names");
    EXPECT_FALSE(parse_crontab_line("1 2 3 0 * x"));
}

TEST(CronRequests, TakeOptionsByName) {
    JsonObject request;
    ASSERT_TRUE(add_cron_options("timeout=5m,rank=1,stop-on-failure=2", request));
    EXPECT_EQ(dump_json(Json(request)), R"({"timeout":300.0,"rank":1,"stop-on-failure":2})");
    EXPECT_EQ(add_cron_options("foo=1", request).error().text(),
              "invalid option 'foo': use timeout, rank, task-history-count, stop-on-failure");
    EXPECT_EQ(add_cron_options("rank=x", request).error().text(), "invalid value 'x' of rank");
    EXPECT_FALSE(add_cron_options("rank", request));
}

TEST(CronRequests, NameOneMomentAsACalendar) {
    ::setenv("TZ", "UTC", 1);
    EXPECT_EQ(dump_json(Json(calendar_of(1578403860))),
              R"({"second":0,"minute":31,"hour":13,"mday":7,"month":0,"year":120})");
}

TEST(CronRequests, ShowEntries) {
    const auto entry = *parse_json_object(
        R"({"id":2,"name":"a-name-that-is-long","repeat":3,"stopped":true,
            "stats":{"count":1,"lastrun":90.0},"tasks":[{"state":"Exited","code":4}]})");
    EXPECT_EQ(cron_heading(),
              "    ID CMD/NAME        STATE        #RUNS            LASTRUN  STATUS            \n");
    EXPECT_EQ(cron_line(entry, 100),
              "     2 a-name-that-is- Stopped        1/3            10s ago  Exited (rc=4)     \n");
    EXPECT_EQ(cron_dump(*parse_json_object(R"({"id":1,"s":{"a":"x"},"tasks":[{"pid":5}]})")),
              "id = 1\ns.a = \"x\"\ntasks.1.pid = 5\n");
}

}  // namespace
}  // namespace sluice
