#include "broker/jobs/housekeeping_fsm.hpp"

#include <gtest/gtest.h>

namespace sluice {
namespace {

using Release = HousekeepingFsm::Release;

TEST(HousekeepingFsm, ReleasesAllTogetherByDefault) {
    HousekeepingFsm fsm{{0, 1, 2}, -1};
    EXPECT_EQ(fsm.on_done(1, 10), Release{});
    EXPECT_EQ(fsm.on_done(0, 11), Release{});
    EXPECT_FALSE(fsm.deadline());
    EXPECT_EQ(fsm.pending(), Idset{2});
    EXPECT_EQ(fsm.held(), (Idset{0, 1, 2}));
    EXPECT_EQ(fsm.on_done(2, 12), (Release{{0, 1, 2}, true}));
    EXPECT_TRUE(fsm.held().empty());
}

TEST(HousekeepingFsm, ReleasesEachAtOnceWhenSoConfigured) {
    HousekeepingFsm fsm{{0, 1}, 0};
    EXPECT_EQ(fsm.on_done(1, 10), (Release{{1}, false}));
    EXPECT_EQ(fsm.on_done(1, 10), Release{});
    EXPECT_EQ(fsm.held(), Idset{0});
    EXPECT_EQ(fsm.on_done(0, 11), (Release{{0}, true}));
}

TEST(HousekeepingFsm, ReleasesThoseThatAreDoneAfterTheTime) {
    HousekeepingFsm fsm{{0, 1, 2, 3}, 5};
    EXPECT_EQ(fsm.on_done(2, 10), Release{});
    EXPECT_EQ(fsm.deadline(), 15);
    EXPECT_EQ(fsm.on_done(1, 12), Release{});
    EXPECT_EQ(fsm.deadline(), 15);
    EXPECT_EQ(fsm.on_time(14), Release{});
    EXPECT_EQ(fsm.on_time(15), (Release{{1, 2}, false}));
    EXPECT_FALSE(fsm.deadline());
    EXPECT_EQ(fsm.on_done(0, 20), (Release{{0}, false}));
    EXPECT_EQ(fsm.on_done(3, 21), (Release{{3}, true}));
}

TEST(HousekeepingFsm, AllDoneBeforeTheTimeNeedsNoTimer) {
    HousekeepingFsm fsm{{0, 1}, 5};
    (void)fsm.on_done(0, 10);
    EXPECT_EQ(fsm.on_done(1, 11), (Release{{0, 1}, true}));
    EXPECT_FALSE(fsm.deadline());
}

}  // namespace
}  // namespace sluice
