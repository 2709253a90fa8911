#include "broker/jobs/plugins.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice {
namespace {

using testing::HasSubstr;

Result<bool> wanted(std::string_view plugins) {
    const auto config = parse_json_object(fmt::format(R"({{"job-manager":{{"plugins":{}}}}})",
                                                      plugins));
    return config ? wants_perilog(*config) : Result<bool>{config.error()};
}

TEST(Plugins, PerilogMayBeLoadedByAnyPath) {
    EXPECT_TRUE(check_plugin_load("perilog.so"));
    EXPECT_TRUE(check_plugin_load("/usr/lib/flux/job-manager/plugins/perilog.so"));
    EXPECT_TRUE(wanted(R"([{"load":"perilog.so","conf":{}}])").value_or(false));
    EXPECT_FALSE(wanted("[]").value_or(true));
}

TEST(Plugins, ForeignOnesAreRefusedByName) {
    const auto load = wanted(R"([{"load":"perilog.so"},{"load":"mf_priority.so"}])");
    ASSERT_FALSE(load);
    EXPECT_EQ(load.error().errnum(), EINVAL);
    EXPECT_THAT(load.error().text(),
                HasSubstr("job-manager.plugins: mf_priority.so: plugins cannot be loaded"));
}

TEST(Plugins, BuiltInOnesCannotBeRemoved) {
    EXPECT_EQ(check_plugin_remove(".history").error().errnum(), ENOSYS);
    EXPECT_EQ(check_plugin_remove("all").error().errnum(), ENOSYS);
    EXPECT_EQ(check_plugin_remove("x.so").error().errnum(), ENOENT);
    EXPECT_FALSE(wanted(R"([{"remove":".history"}])"));
}

TEST(Plugins, AConfigurationOfAnotherShapeIsRefused) {
    for (const char* text : {R"({"load":"perilog.so"})", R"(["perilog.so"])", R"([{}])"})
        EXPECT_FALSE(wanted(text)) << text;
}

}  // namespace
}  // namespace sluice
