#include "base/shared_text.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace sluice {
namespace {

TEST(SharedText, KeepsEqualTextsOnceWhileTheyAreHeld) {
    const std::size_t before = SharedText::kept();
    std::optional<SharedText> a{"some longer text that is kept"};
    std::vector<SharedText> many(1000, *a);
    std::string same = "some longer text";
    same.append(" that is kept");
    const SharedText again{same};
    EXPECT_EQ(SharedText::kept(), before + 1);
    EXPECT_EQ(&again.str(), &many.back().str());
    EXPECT_EQ(again, *a);
    EXPECT_EQ(again, "some longer text that is kept");
    a.reset();
    many.clear();
    EXPECT_EQ(again.str(), "some longer text that is kept");
    EXPECT_EQ(SharedText::kept(), before + 1);
}

TEST(SharedText, ForgetsWhatNobodyHolds) {
    const std::size_t before = SharedText::kept();
    {
        SharedText text{"x"};
        SharedText other = std::move(text);
        text = "y";
        other = text;
        EXPECT_EQ(other, "y");
        EXPECT_EQ(SharedText::kept(), before + 1);
        const SharedText& same = other;
        other = same;
        EXPECT_EQ(other.str(), "y");
    }
    EXPECT_EQ(SharedText::kept(), before);
}

TEST(SharedText, IsEmptyAtFirst) {
    const SharedText text;
    EXPECT_TRUE(text.empty());
    EXPECT_EQ(text, "");
    EXPECT_EQ(text, SharedText{""});
}

}  // namespace
}  // namespace sluice
