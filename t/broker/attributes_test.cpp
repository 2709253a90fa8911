#include "broker/config/attributes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/config/tables.hpp"

namespace sluice {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Attributes, TakesKnownNamesFromTheCommandLine) {
    Attributes attributes;
    ASSERT_TRUE(attributes.set_from_command_line("vendor.x=a=b"));
    EXPECT_EQ(attributes.find("vendor.x"), "a=b");
    ASSERT_TRUE(attributes.set_from_command_line("vendor.y="));
    EXPECT_EQ(attributes.find("vendor.y"), "");
    ASSERT_TRUE(attributes.set_from_command_line("broker.rc2_none"));
    EXPECT_TRUE(attributes.has("broker.rc2_none"));
    EXPECT_EQ(attributes.find("broker.rc2_none"), std::nullopt);
}

TEST(Attributes, RefusesUnknownReadOnlyAndBadValues) {
    Attributes attributes;
    const auto text = [&](const char* word) {
        return attributes.set_from_command_line(word).error().text();
    };
    EXPECT_EQ(text("foo=1"), "foo: unknown attribute");
    EXPECT_EQ(text("rank=1"), "rank: attribute may not be set on the command line");
    for (const char* word :
         {"log-level=abc", "log-level=9", "log-level=", "tbon.connect_timeout=abc",
          "tbon.topo=nosuch", "tbon.topo=", "broker.quorum=abc", "broker.quorum=0",
          "local-uri=ipc://x", "log-stderr-mode=both", "content.hash=md5"})
        EXPECT_THAT(text(word), HasSubstr(std::string{word}.substr(0, 5))) << word;
}

TEST(Attributes, PrefersTheCommandLineToTheConfiguration) {
    const JsonObject config{
        {"tbon", JsonObject{{"connect_timeout", "7s"}, {"topo", "kary:2"}}}};
    Attributes attributes;
    ASSERT_TRUE(attributes.set_from_command_line("tbon.topo=kary:3"));
    ASSERT_TRUE(attributes.apply_config(config));
    EXPECT_EQ(attributes.find("tbon.connect_timeout"), "7s");
    EXPECT_EQ(attributes.find("tbon.topo"), "kary:3");
    EXPECT_EQ(attributes.seconds("tbon.connect_timeout"), 7.0);
}

// As the reference answers attr.set.
TEST(Attributes, UpdatesOnlyWhatMayChange) {
    Attributes attributes;
    attributes.set("rank", "0");
    EXPECT_TRUE(attributes.update("log-stderr-level", "2", false));
    EXPECT_EQ(attributes.update("nosuch", "1", false).error().errnum(), ENOENT);
    EXPECT_EQ(attributes.update("rank", "3", false).error(),
              Error(EINVAL, "attribute may not be updated"));
    EXPECT_EQ(attributes.update("rank", "3", true).error().errnum(), EPERM);
    EXPECT_EQ(attributes.find("rank"), "0");
}

TEST(Attributes, AVendorAttributeCanBeSetOnce) {
    Attributes attributes;
    EXPECT_TRUE(attributes.update("vendor.a", "5", false));
    EXPECT_EQ(attributes.update("vendor.a", "6", false).error().errnum(), EPERM);
    EXPECT_EQ(attributes.update("vendor.a", "6", true).error().errnum(), EPERM);
    EXPECT_EQ(attributes.find("vendor.a"), "5");
}

TEST(Attributes, TellsWhoWatchesAPrefix) {
    Attributes attributes;
    std::string seen;
    attributes.watch("log-", [&](const std::string& name, const std::string& value) {
        seen += name + "=" + value;
    });
    attributes.set("rank", "1");
    attributes.set("log-stderr-level", "5");
    EXPECT_EQ(seen, "log-stderr-level=5");
}

std::string fault(std::string_view config) {
    const JsonObject object = *parse_json_object(config);
    const auto checked = check_config_tables(object);
    return checked ? "" : checked.error().text();
}

TEST(ConfigTables, NameTheKeyAndTheCure) {
    EXPECT_EQ(fault(R"({"tbon":{"zmq_io_threads":2,"unknown":1},"other":3})"), "");
    EXPECT_EQ(fault(R"({"tbon":{"zmq_io_threads":0}})"),
              "tbon.zmq_io_threads: found 0, allowed 1 to 16; remove the key for the default");
    EXPECT_THAT(fault(R"({"access":{"allow-guest":true}})"),
                StartsWith("access.allow-guest: unknown key; access has allow-guest-user"));
    EXPECT_THAT(fault(R"({"access":{"allow-guest-user":1}})"),
                StartsWith("access.allow-guest-user: found integer"));
    EXPECT_THAT(fault(R"({"heartbeat":{"period":"soon"}})"), StartsWith("heartbeat.period: "));
    EXPECT_THAT(fault(R"({"tbon":{"topo":"star"}})"), StartsWith("tbon.topo: 'star'"));
    EXPECT_THAT(fault(R"({"bootstrap":{"default_port":70000}})"),
                StartsWith("bootstrap.default_port: found 70000"));
}

}  // namespace
}  // namespace sluice
