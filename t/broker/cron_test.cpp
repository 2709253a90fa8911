#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

#include "broker/cron/entry.hpp"

namespace sluice {
namespace {

using ::testing::HasSubstr;

JsonObject json(std::string_view text) { return *parse_json_object(text); }

/// Seconds since the epoch of a local date and time.
double moment(int year, int month, int day, int hour, int minute, int second) {
    tm parts{};
    parts.tm_year = year - 1900;
    parts.tm_mon = month - 1;
    parts.tm_mday = day;
    parts.tm_hour = hour;
    parts.tm_min = minute;
    parts.tm_sec = second;
    parts.tm_isdst = -1;
    return static_cast<double>(std::mktime(&parts));
}

class CronCalendarTest : public ::testing::Test {
  protected:
    void SetUp() override {
        ::setenv("TZ", "UTC", 1);
        ::tzset();
    }
    static double next(std::string_view fields, double time) {
        return CronCalendar::from_json(json(fields))->next(time).value();
    }
};

TEST_F(CronCalendarTest, FindsTheNextMoment) {
    const double time = moment(2026, 11, 30, 17, 42, 10);  // a Monday
    struct {
        std::string_view fields;
        double wanted;
    } rows[] = {
        {"{}", moment(2026, 11, 30, 17, 43, 0)},
        {R"({"second":"*"})", moment(2026, 11, 30, 17, 42, 11)},
        {R"({"minute":"*/15"})", moment(2026, 11, 30, 17, 45, 0)},
        {R"({"minute":"0","hour":"3"})", moment(2026, 12, 1, 3, 0, 0)},
        {R"({"minute":0,"hour":0,"mday":1,"month":"jan"})", moment(2027, 1, 1, 0, 0, 0)},
        {R"({"minute":"30","hour":"8-9","weekday":"sat,sun"})", moment(2026, 12, 5, 8, 30, 0)},
        {R"({"minute":"0","hour":"0","mday":"29","month":"1"})", moment(2028, 2, 29, 0, 0, 0)},
    };
    for (const auto& row : rows) EXPECT_EQ(next(row.fields, time), row.wanted) << row.fields;
}

TEST_F(CronCalendarTest, KnowsWhenThereIsNone) {
    const auto never = CronCalendar::from_json(json(R"({"mday":"30","month":"feb"})"));
    EXPECT_EQ(never->next(moment(2026, 1, 1, 0, 0, 0)), std::nullopt);
}

TEST_F(CronCalendarTest, NamesTheFieldThatIsWrong) {
    for (const std::string_view bad :
         {R"({"hour":"24"})", R"({"hour":"5-3"})", R"({"hour":"*/0"})", R"({"hour":"x"})",
          R"({"hour":""})", R"({"hour":[1]})", R"({"hour":"1,"})"}) {
        const auto calendar = CronCalendar::from_json(json(bad));
        ASSERT_FALSE(calendar) << bad;
        EXPECT_EQ(calendar.error().errnum(), EINVAL);
        EXPECT_THAT(calendar.error().text(), HasSubstr("hour"));
    }
}

TEST_F(CronCalendarTest, TellsItsFieldsAsIdsets) {
    const auto calendar = CronCalendar::from_json(json(R"({"minute":"*/20","month":"mar"})"));
    const JsonObject fields = calendar->to_json();
    EXPECT_EQ(fields.at("minute"), "0,20,40");
    EXPECT_EQ(fields.at("month"), "2");
    EXPECT_EQ(fields.at("second"), "0");
    EXPECT_EQ(fields.at("weekday"), "0-6");
}

CronEntry entry(std::string_view text, double now = 1000) {
    return *CronEntry::from_json(json(text), 1, now);
}

TEST(CronCalendar, CountsYearsAsClientsDo) {
    const auto calendar = CronCalendar::from_json(
        {{"year", 126}, {"month", 0}, {"mday", 1}, {"hour", 0}, {"minute", 5}});
    ASSERT_TRUE(calendar);
    EXPECT_EQ(calendar->next(moment(2025, 6, 1, 0, 0, 0)), moment(2026, 1, 1, 0, 5, 0));
}

TEST(CronEntry, AnswersCreateAsRecorded) {
    // t/wire/transcripts/cron-interval.jsonl and cron-event.jsonl
    const CronEntry interval = entry(
        R"({"type":"interval","name":"tick","args":{"interval":3600},"command":"true"})");
    EXPECT_EQ(dump_json(interval.to_json()),
              R"({"id":1,"rank":0,"name":"tick","command":"true","repeat":0,"stopped":false,)"
              R"("type":"interval","stats":{"ctime":1000.0,"starttime":1000.0,"lastrun":0.0,)"
              R"("count":0,"failcount":0,"total":0,"success":0,"failure":0,"deferred":0},)"
              R"("typedata":{"interval":3600.0,"after":3600.0,"next_wakeup":4600.0},"tasks":[]})");
    const CronEntry event = entry(
        R"({"type":"event","name":"true","args":{"nth":2,"topic":"demo.tick"},"command":"true"})");
    EXPECT_EQ(dump_json(event.to_json().at("typedata")),
              R"({"topic":"demo.tick","nth":2,"after":0,"counter":0,"min_interval":0.0})");
}

TEST(CronEntry, IsDueAgainAfterEachInterval) {
    CronEntry it = entry(
        R"({"type":"interval","name":"n","args":{"interval":60,"after":5},"command":"true"})");
    EXPECT_EQ(it.wakeup(), 1005);
    it.on_time(1005);
    EXPECT_EQ(it.wakeup(), 1065);
    it.stop();
    EXPECT_EQ(it.wakeup(), std::nullopt);
    it.start(2000);
    EXPECT_EQ(it.wakeup(), 2005);
}

TEST(CronEntry, CountsEvents) {
    CronEntry it = entry(
        R"({"type":"event","name":"n","args":{"topic":"t","nth":2,"after":1},"command":"true"})");
    std::vector<bool> due;
    for (int i = 0; i < 6; ++i) due.push_back(it.on_event(1001));
    EXPECT_THAT(due, ::testing::ElementsAre(false, false, true, false, true, false));
}

TEST(CronEntry, PutsOffEventsThatComeTooSoon) {
    CronEntry it = entry(
        R"({"type":"event","name":"n","args":{"topic":"t","min_interval":10},"command":"true"})");
    EXPECT_TRUE(it.on_event(1001));
    it.lastrun = 1001;
    EXPECT_FALSE(it.on_event(1003));
    EXPECT_EQ(it.wakeup(), 1011);
    it.on_time(1011);
    EXPECT_EQ(it.wakeup(), std::nullopt);
}

TEST(CronEntry, StopsAfterItsLastRun) {
    CronEntry it = entry(
        R"({"type":"interval","name":"n","args":{"interval":1},"command":"x","repeat":2})");
    it.begin_task(1001);
    it.task->ended = 1002;
    it.end_task();
    EXPECT_FALSE(it.stopped);
    it.begin_task(1003);
    EXPECT_TRUE(it.stopped);
    it.task->ended = 1004;
    it.end_task();
    EXPECT_EQ(it.success, 2);
    EXPECT_EQ(it.finished.size(), 1u);  // task-history-count is 1
}

TEST(CronEntry, StopsWhenItFailsTooOften) {
    CronEntry it = entry(R"({"type":"interval","name":"n","args":{"interval":1},"command":"x",)"
                         R"("stop-on-failure":2,"task-history-count":5})");
    for (int run = 0; run < 2; ++run) {
        EXPECT_FALSE(it.stopped);
        it.begin_task(1001);
        it.task->started = it.task->running = it.task->ended = 1002;
        it.task->status = 256;
        it.end_task();
    }
    EXPECT_TRUE(it.stopped);
    EXPECT_EQ(it.failure, 2);
    const JsonObject task = it.finished.front().to_json(3);
    EXPECT_EQ(task.at("state"), "Failed");
    EXPECT_EQ(task.at("code"), 1);
    EXPECT_EQ(task.at("rank"), 3);
}

TEST(CronEntry, RefusesWhatIsNoEntry) {
    struct {
        std::string_view text;
        int errnum;
    } rows[] = {
        {R"({"type":"interval","name":"n","args":{"interval":1}})", EPROTO},
        {R"({"type":"interval","name":"n","args":{},"command":"x"})", EPROTO},
        {R"({"type":"interval","name":"n","args":{"interval":0},"command":"x"})", EINVAL},
        {R"({"type":"event","name":"n","args":{"topic":"t","nth":-1},"command":"x"})", EINVAL},
        {R"({"type":"never","name":"n","args":{},"command":"x"})", ENOSYS},
        {R"({"type":"datetime","name":"n","args":{"hour":"99"},"command":"x"})", EINVAL},
    };
    for (const auto& row : rows) {
        const auto made = CronEntry::from_json(json(row.text), 1, 1000);
        ASSERT_FALSE(made) << row.text;
        EXPECT_EQ(made.error().errnum(), row.errnum) << row.text;
    }
}

}  // namespace
}  // namespace sluice
