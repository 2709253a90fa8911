#include "cmd/format/named_formats.hpp"

#include <gtest/gtest.h>

#include "cmd/format/yaml.hpp"

namespace sluice {
namespace {

FormatCatalog jobs_catalog() {
    return {"flux-jobs",
            "flux-jobs",
            "",
            "FLUX_JOBS_FORMAT_DEFAULT",
            {{"default", "the default", "{id}"}, {"long", "more", "{id} {name}"}}};
}

JsonObject parsed(std::string_view text) {
    return *parse_json_object(text);
}

TEST(NamedFormats, ChoosesByNameFormatOrEnvironment) {
    const FormatCatalog catalog = jobs_catalog();
    EXPECT_EQ(choose_format(catalog, "long", "ignored")->format, "{id} {name}");
    EXPECT_EQ(choose_format(catalog, "{x}", std::nullopt)->format, "{x}");
    EXPECT_EQ(choose_format(catalog, "default", std::nullopt)->format, "{id}");
    EXPECT_EQ(choose_format(catalog, "default", "long")->format, "{id} {name}");
    EXPECT_EQ(choose_format(catalog, "default", "{y}")->format, "{y}");
    EXPECT_EQ(choose_format(catalog, "foo", std::nullopt).error().text(),
              "--format: No such format foo (Did you mean '{foo}'?)");
}

TEST(NamedFormats, ListsAndQuotesThem) {
    FormatCatalog catalog = jobs_catalog();
    EXPECT_EQ(choose_format(catalog, "help", std::nullopt)->text,
              "\nConfigured flux-jobs output formats:\n\n"
              "  default      the default\n  long         more\n");
    EXPECT_EQ(choose_format(catalog, "get-config=long", std::nullopt)->text,
              "[formats.long]\ndescription = \"more\"\nformat = \"{id} {name}\"\n");
    catalog.subcommand = "list";
    EXPECT_EQ(choose_format(catalog, "get-config=long", std::nullopt)->text,
              "[list.formats.long]\ndescription = \"more\"\nformat = \"{id} {name}\"\n");
}

TEST(NamedFormats, TakesUserFormatsButNeverRedefinesBuiltInOnes) {
    FormatCatalog catalog = jobs_catalog();
    ASSERT_TRUE(
        add_user_formats(catalog, 2, parsed(R"({"formats":{"mine":{"format":"{a}"}}})"), "f"));
    EXPECT_EQ(choose_format(catalog, "mine", std::nullopt)->format, "{a}");
    ASSERT_TRUE(
        add_user_formats(catalog, 2, parsed(R"({"formats":{"mine":{"format":"{b}"}}})"), "g"));
    EXPECT_EQ(choose_format(catalog, "mine", std::nullopt)->format, "{b}");
    const struct {
        const char* file;
        const char* error;
    } cases[] = {
        {R"({"formats":{"long":{"format":"x"}}})",
         "f: override of builtin format 'long' not permitted"},
        {R"({"colours":{}})", "f: invalid key colours"},
        {R"({"formats":{"m":{}}})", "f: required key 'format' missing in format 'm'"},
        {R"({"formats":{"m":3}})",
         "f: format 'm' must be a mapping (a TOML table), found integer"},
        {R"({"formats":{"m":{"format":3}}})", "f: 'format' must be a string in format 'm'"},
        {R"({"formats":3})",
         "f: the formats key must be a mapping (a TOML table), found integer"}};
    for (const auto& c : cases)
        EXPECT_EQ(add_user_formats(catalog, 2, parsed(c.file), "f").error().text(), c.error);
}

TEST(NamedFormats, ReadsTheTableOfItsSubcommandOnly) {
    FormatCatalog catalog = jobs_catalog();
    catalog.subcommand = "list";
    const auto file = parsed(R"({"status":{"formats":{"a":{"format":"1"}}},
                                 "list":{"formats":{"b":{"format":"2"}}}})");
    ASSERT_TRUE(add_user_formats(catalog, 2, file, "f"));
    EXPECT_FALSE(choose_format(catalog, "a", std::nullopt));
    EXPECT_EQ(choose_format(catalog, "b", std::nullopt)->format, "2");
}

TEST(Yaml, ReadsNestedMappings) {
    const auto object = parse_yaml(
        "# formats\nformats:\n  mine:\n    description: name and status # short\n"
        "    format: \"{name}\\t{status}\"\n  other:\n    description: 'it''s'\n    format: >-\n"
        "      {id}\n      {name}\n");
    ASSERT_TRUE(object) << object.error().text();
    EXPECT_EQ(dump_json(*object),
              R"({"formats":{"mine":{"description":"name and status","format":"{name}\t{status}"},)"
              R"("other":{"description":"it's","format":"{id} {name}"}}})");
}

TEST(Yaml, KeepsScalarsAsTextAndReadsLists) {
    EXPECT_EQ(dump_json(*parse_yaml("a: 1\nb: [x, yes]\nc:\n  - 2.0\nd:\n")),
              R"({"a":"1","b":["x","yes"],"c":["2.0"],"d":""})");
    EXPECT_TRUE(parse_yaml("# nothing\n")->empty());
}

TEST(Yaml, NamesTheBadLine) {
    for (const auto& [text, line] : {std::pair{"a: b\n   c: d\n", "line 2: "},
                                     std::pair{"nonsense\n", "line 1: "},
                                     std::pair{"a: b\nc: [\n", "line 3: "},
                                     std::pair{"- a\n", "line 1: "},
                                     std::pair{"a: &x [*x]\n", "line 1: "}})
        EXPECT_TRUE(parse_yaml(text).error().text().starts_with(line))
            << parse_yaml(text).error().text();
}

}  // namespace
}  // namespace sluice
