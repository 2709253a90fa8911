#include "cmd/format/columns.hpp"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(Columns, HaveTheRecordedWidths) {
    EXPECT_EQ(columns_text({"a", "empty", "ln", "sub", "z"}, 80),
              "a        empty    ln       sub      z\n");
    EXPECT_EQ(columns_text({"a", "empty.", "ln@", "sub.", "z"}, 80),
              "a        empty.   ln@      sub.     z\n");
}

TEST(Columns, FillDownwardsWhenTheLineIsNarrow) {
    EXPECT_EQ(columns_text({"a", "b", "c", "d", "e"}, 10), "a    d\nb    e\nc\n");
    EXPECT_EQ(columns_text({"a", "b"}, 0), "a\nb\n");
    EXPECT_EQ(columns_text({}, 80), "");
}

}  // namespace
}  // namespace sluice
