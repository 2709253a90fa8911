#include "cmd/format/trace_text.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace sluice {
namespace {

std::string line(TraceText& text, double time, const char* rest) {
    ::setenv("TZ", "UTC", 1);
    return text.next(*parse_json_object(fmt::format(R"({{"timestamp":{},{}}})", time, rest)))
        .value_or("error");
}

constexpr const char* request =
    R"("prefix":"rx","rank":-1,"name":"kvs","type":1,"topic":"kvs.get","payload_size":5,
       "payload":{"a":1},"errnum":0,"errstr":"")";
constexpr const char* failure =
    R"("prefix":"tx","rank":3,"name":null,"type":2,"topic":"x.y","payload_size":0,"payload":null,
       "errnum":2,"errstr":"")";

TEST(TraceText, TellsModuleOrRankTypeTopicSizeAndResult) {
    TraceText text{{}};
    EXPECT_EQ(line(text, 1578403860.25, request),
              "2020-01-07T13:31:00.250 kvs rx > kvs.get [5]\n");
    EXPECT_EQ(line(text, 1578403861, failure),
              "2020-01-07T13:31:01.000 tx 3 < x.y [0] No such file or directory\n");
    TraceText full{{.full = true}};
    EXPECT_EQ(line(full, 1578403860, request),
              "2020-01-07T13:31:00.000 kvs rx > kvs.get [5]\n{\n  \"a\": 1\n}\n");
}

TEST(TraceText, CountsSecondsForPeople) {
    TraceText text{{.human = true}};
    EXPECT_EQ(line(text, 1578403861, request), "[Jan07 13:31]  kvs rx > kvs.get [5]\n");
    EXPECT_EQ(line(text, 1578403862.5, request), "[  +2.500000]  kvs rx > kvs.get [5]\n");
    TraceText delta{{.human = true, .delta = true}};
    line(delta, 1578403861, request);
    EXPECT_EQ(line(delta, 1578403862.5, request), "[  +1.500000]  kvs rx > kvs.get [5]\n");
}

TEST(TraceText, KnowsTheTypesByName) {
    EXPECT_EQ(*parse_message_types(""), 15);
    EXPECT_EQ(*parse_message_types("request,event"), 5);
    EXPECT_EQ(parse_message_types("reply").error().text(),
              "valid types: request, response, event, control");
}

}  // namespace
}  // namespace sluice
