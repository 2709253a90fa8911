#include "base/rfc/fluid.hpp"

#include <gtest/gtest.h>

namespace sluice {
namespace {

constexpr JobId sample{6731191091817518};

TEST(FluidText, WritesEveryForm) {
    EXPECT_EQ(fluid_encode(sample, FluidForm::dec), "6731191091817518");
    EXPECT_EQ(fluid_encode(sample, FluidForm::hex), "0x17e9fb8df16c2e");
    EXPECT_EQ(fluid_encode(sample, FluidForm::dothex), "0017.e9fb.8df1.6c2e");
    EXPECT_EQ(fluid_encode(sample, FluidForm::kvs), "job.0017.e9fb.8df1.6c2e");
    EXPECT_EQ(fluid_encode(sample, FluidForm::f58plain), "fuZZybuNNy");
    EXPECT_TRUE(to_f58(sample).ends_with("uZZybuNNy"));
}

TEST(FluidText, HasTheF58VectorsOfRfc19) {
    const std::pair<std::uint64_t, std::string_view> rows[] = {
        {0, "f1"},           {57, "fz"},          {1234, "fNH"},
        {3364, "f211"},      {65535, "fLUv"},     {4294967295, "f7YXq9G"},
        {~0ull, "fjpXCZedGfVQ"},
    };
    for (const auto& [value, text] : rows) {
        EXPECT_EQ(to_f58plain(JobId{value}), text);
        const auto decoded = fluid_decode(text);
        ASSERT_TRUE(decoded) << text;
        EXPECT_EQ(decoded->value, value);
    }
}

TEST(FluidText, ReadsEveryForm) {
    for (const std::string_view text :
         {"6731191091817518", "0x17e9fb8df16c2e", "0X17E9FB8DF16C2E", "0017.e9fb.8df1.6c2e",
          "job.0017.e9fb.8df1.6c2e", "fuZZybuNNy", "\xC6\x92uZZybuNNy", "  fuZZybuNNy",
          "f11uZZybuNNy", "17.e9fb.8df1.6c2e"}) {
        const auto id = fluid_decode(text);
        ASSERT_TRUE(id) << text;
        EXPECT_EQ(*id, sample) << text;
    }
}

TEST(FluidText, RefusesWhatIsNoId) {
    for (const std::string_view text :
         {"", " ", "f", "f0", "fl", "fjpXCZedGfVR", "foo bar", "-1", "1x", "0x", "1.2.3",
          "1.2.3.4.5", "00017.e9fb.8df1.6c2e", "18446744073709551616", "a-b-c", "job.",
          "\xC6\x92"}) {
        const auto id = fluid_decode(text);
        ASSERT_FALSE(id) << text;
        EXPECT_EQ(id.error().errnum(), EINVAL);
    }
}

TEST(FluidText, KnowsTheNamesOfForms) {
    EXPECT_EQ(fluid_form("f58plain"), FluidForm::f58plain);
    EXPECT_EQ(fluid_form("dec"), FluidForm::dec);
    EXPECT_FALSE(fluid_form("roman"));
}

TEST(FluidGenerator, AscendsAndWaitsWhenAMillisecondIsFull) {
    FluidGenerator generator{3, JobId{}, 1000};
    JobId last{};
    for (int i = 0; i < 1023; ++i) {
        const auto id = generator.next(1000);
        ASSERT_TRUE(id);
        ASSERT_GT(*id, last);
        last = *id;
    }
    EXPECT_FALSE(generator.next(1000));
    EXPECT_FALSE(generator.next(999));  // a clock that steps back repeats nothing
    const auto id = generator.next(1001);
    ASSERT_TRUE(id);
    EXPECT_GT(*id, last);
    EXPECT_EQ(id->value >> 10 & 0x3FFF, 3u);
}

TEST(FluidGenerator, GoesOnAfterARestart) {
    FluidGenerator before{0, JobId{}, 0};
    const auto old = before.next(123456);
    FluidGenerator after{0, *old, 5};
    EXPECT_GT(*after.next(5), *old);
}

}  // namespace
}  // namespace sluice
