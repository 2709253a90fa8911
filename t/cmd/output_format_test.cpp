#include "cmd/format/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "cmd/format/conversion.hpp"

namespace sluice {
namespace {

using Row = std::map<std::string, FieldValue>;

std::optional<std::string> heading_of(std::string_view field) {
    static const std::map<std::string, std::string, std::less<>> headings{
        {"name", "NAME"},   {"ntasks", "NTASKS"},     {"queue", "QUEUE"}, {"nnodes", "NNODES"},
        {"t_run", "T_RUN"}, {"duration", "DURATION"}, {"on", ""}};
    const auto found = headings.find(field);
    if (found == headings.end()) return std::nullopt;
    return found->second;
}

std::string table(std::string_view text, const std::vector<Row>& rows, TableOptions options = {}) {
    auto format = OutputFormat::parse(text, heading_of);
    if (!format) return "error: " + format.error().text();
    Table table{*std::move(format), options};
    for (const Row& row : rows) {
        table.add([&row](std::string_view field) -> FieldValue {
            const auto found = row.find(std::string(field));
            return found == row.end() ? FieldValue{""} : found->second;
        });
    }
    return table.text();
}

const std::vector<Row> two_names{{{"name", "a-much-longer-name"}, {"ntasks", 1}},
                                 {{"name", "abc"}, {"ntasks", 1}}};

TEST(OutputFormat, DropsAColumnAndTheTextBeforeItWhenEmptyEverywhere) {
    EXPECT_EQ(table("?:{queue:<8} {name:<4}|{ntasks}", two_names),
              " NAME|NTASKS\n a-much-longer-name|1\n abc |1\n");
    EXPECT_EQ(table("{ntasks} ?+:{queue:<9} ?+:{name:>4}|{ntasks}", two_names),
              "NTASKS               NAME|NTASKS\n"
              "1 a-much-longer-name|1\n"
              "1                abc|1\n");
}

TEST(OutputFormat, WidensAColumnAndItsPrecision) {
    const char* widened =
        "NAME              |NTASKS\n"
        "a-much-longer-name|1\n"
        "abc               |1\n";
    EXPECT_EQ(table("+:{name:<4}|{ntasks}", two_names), widened);
    EXPECT_EQ(table("+:{name:<4.4}|{ntasks}", two_names), widened);
    EXPECT_EQ(table("+:{name:<4.4}|", {}), "NAME|\n");
}

TEST(OutputFormat, MarksACutOnlyWhenTheCellIsShorterThanTheValue) {
    EXPECT_EQ(table("{name:<6.6}|{name:<6.6+}|{name:>8.4}|{name:>8.4+}|{name:^10}|{name}|",
                    {{{"name", "abcdef"}}, {{"name", "abcdefgh"}}}),
              "NAME  |NAME  |    NAME|    NAME|   NAME   |NAME|\n"
              "abcdef|abcdef|    abcd|    abcd|  abcdef  |abcdef|\n"
              "abcdef|abcde+|    abcd|    abcd| abcdefgh |abcdefgh|\n");
}

TEST(OutputFormat, PrintsADashForNothing) {
    EXPECT_EQ(table("{name:<6}|{nnodes:>6}|{nnodes:>6h}|{duration!F:>6h}_|{duration!H:>8h}|"
                    "{t_run!D:>6h}|{t_run!D}|",
                    {{{"name", "held"}, {"duration", 0.0}},
                     {{"name", "sized"}, {"nnodes", 1}, {"duration", 3600.0}}}),
              "NAME  |NNODES|NNODES|DURATION_|DURATION| T_RUN|T_RUN|\n"
              "held  |      |     -|     -_|       -|     -||\n"
              "sized |     1|     1|    1h_| 1:00:00|     -||\n");
    EXPECT_EQ(
        table("{duration:>8.2fh}|", {{{"duration", 0.0}}, {{"duration", 1.5}}}, {.header = false}),
        "       -|\n    1.50|\n");
}

TEST(OutputFormat, SortsUnsetThenNumbersThenText) {
    const std::vector<Row> rows{{{"name", "d"}, {"ntasks", 10}},
                                {{"name", "b"}, {"ntasks", 2}},
                                {{"name", "c"}},
                                {{"name", "a"}, {"ntasks", "x"}}};
    EXPECT_EQ(table("sort:ntasks {name}", rows, {.header = false}), "c\nb\nd\na\n");
    EXPECT_EQ(table("sort:-ntasks{name}", rows, {.header = false}), "a\nd\nb\nc\n");
    EXPECT_EQ(table("sort:nosuch {name}", rows), "error: Invalid sort key: nosuch");
}

TEST(OutputFormat, CutsLinesAndLeavesOutBlankRows) {
    EXPECT_EQ(table("{name}|{ntasks}", two_names, {.width = 12}),
              "NAME|NTASKS\na-much-long+\nabc|1\n");
    EXPECT_EQ(table("{name}", {{{"name", ""}}, {{"name", "x"}}}), "NAME\nx\n");
}

TEST(Table, ColoursKeepToTheirRows) {
    Table rows{*OutputFormat::parse("sort:name {name}", heading_of), {.header = false, .width = 3}};
    rows.add([](std::string_view) { return "bbbb"; }, "\033[1m");
    rows.add([](std::string_view) { return "a"; });
    EXPECT_EQ(rows.text(), "a\n\033[1mbb+\033[0;0m\n");
}

TEST(OutputFormat, NamesWhatIsWrong) {
    EXPECT_EQ(table("{foo}", {}), "error: Unknown format field: foo");
    EXPECT_EQ(table("{name", {}), "error: expected '}' before end of string");
    EXPECT_EQ(table("name}", {}), "error: Single '}' encountered in format string");
    EXPECT_EQ(table("{name!x}", {}), "error: Unknown conversion specifier 'x'");
    EXPECT_EQ(table("{name:>>>}", {}), "error: Invalid format specifier '>>>'");
}

TEST(OutputFormat, KeepsDoubledBraces) {
    EXPECT_EQ(table("{{{name}}}", {{{"name", "x"}}}), "{NAME}\n{x}\n");
}

TEST(OutputFormat, ListsItsFieldsOnce) {
    const auto format = OutputFormat::parse("sort:-queue {name} {name} {ntasks}", heading_of);
    ASSERT_TRUE(format);
    EXPECT_THAT(format->fields(), testing::ElementsAre("name", "ntasks", "queue"));
}

TEST(FormatSpec, LaysOutAsPython) {
    const struct {
        const char* spec;
        FieldValue value;
        const char* text;
    } cases[] = {{"", 600.0, "600.0"},
                 {"5", 7, "    7"},
                 {"5", "x", "x    "},
                 {"*^5", "x", "**x**"},
                 {"05", -7, "-0007"},
                 {"+d", 7, "+7"},
                 {",", 1234567, "1,234,567"},
                 {"x", 255, "ff"},
                 {"#x", 255, "0xff"},
                 {".2f", 1.005, "1.00"},
                 {".3g", 12345.0, "1.23e+04"},
                 {"", true, "True"},
                 {">3", true, "  1"},
                 {"5.1", "ƒab", "ƒ    "},
                 {">4", "ƒa", "  ƒa"},
                 {"d", "", ""},
                 {".1f", 3, "3.0"},
                 {"%", 0.5, "50.000000%"},
                 {".0%", 0.5, "50%"}};
    for (const auto& c : cases) {
        const auto spec = parse_format_spec(c.spec);
        ASSERT_TRUE(spec) << c.spec;
        EXPECT_EQ(format_value(*spec, c.value), c.text) << c.spec;
    }
    for (const char* bad : {"q", "<<<", ".", "5.", "99999999999"})
        EXPECT_FALSE(parse_format_spec(bad)) << bad;
}

TEST(Conversion, TellsTimesDurationsAndPercentages) {
    EXPECT_EQ(clock_duration(0.2), "0:00:01");
    EXPECT_EQ(clock_duration(3600), "1:00:00");
    EXPECT_EQ(clock_duration(86400), "1 day, 0:00:00");
    EXPECT_EQ(clock_duration(2 * 86400 + 61), "2 days, 0:01:01");
    EXPECT_EQ(percentage(0.125), "12.5%");
    EXPECT_EQ(percentage(0.0025), "0.25%");
    EXPECT_EQ(percentage(0), "0%");
    EXPECT_EQ(plain_text(convert('r', "", "it's")), "\"it's\"");
    EXPECT_EQ(plain_text(convert('a', "", "ƒ")), "'\\u0192'");
    setenv("TZ", "UTC", 1);
    EXPECT_EQ(plain_text(convert('D', "", 1578403860)), "2020-01-07T13:31:00");
    EXPECT_EQ(plain_text(convert('d', "%b%d %R", 1578403860.5)), "Jan07 13:31");
    EXPECT_EQ(plain_text(convert('d', "%b%d", 0.0)), "");
}

}  // namespace
}  // namespace sluice
