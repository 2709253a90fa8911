#include "broker/log/logger.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::internal::CaptureStderr;
using testing::internal::GetCapturedStderr;

TEST(RingBuffer, ForgetsTheOldestWhenFull) {
    RingBuffer ring{2};
    for (const char* line : {"a", "b", "c"}) ring.push(line);
    EXPECT_THAT(ring.lines(), ElementsAre("b", "c"));
    ring.resize(1);
    EXPECT_THAT(ring.lines(), ElementsAre("c"));
    ring.clear();
    EXPECT_TRUE(ring.lines().empty());
}

TEST(LogAttributes, ReadBackWhatWasSetAndRefuseTheRest) {
    LogSettings settings;
    ASSERT_TRUE(set_log_attribute(settings, "log-stderr-level", "6"));
    ASSERT_TRUE(set_log_attribute(settings, "log-stderr-mode", "local"));
    EXPECT_EQ(*get_log_attribute(settings, "log-stderr-level"), "6");
    EXPECT_EQ(*get_log_attribute(settings, "log-stderr-mode"), "local");
    EXPECT_EQ(*get_log_attribute(settings, "log-ring-size"), "1024");
    EXPECT_EQ(set_log_attribute(settings, "log-level", "8").error().text(),
              "log-level: '8' is not a number from -1 to 7");
    EXPECT_EQ(set_log_attribute(settings, "log-stderr-mode", "no").error().errnum(), EINVAL);
    EXPECT_EQ(set_log_attribute(settings, "log-color", "1").error().errnum(), ENOENT);
    EXPECT_EQ(get_log_attribute(settings, "log-filename").error().errnum(), EINVAL);
}

TEST(Logger, LeadPrintsErrorsAndKeepsAll) {
    Logger logger;
    CaptureStderr();
    logger.err("broker", "{} went {}", "it", "wrong");
    logger.info("broker", "fine");
    EXPECT_EQ(GetCapturedStderr(), "broker.err[0]: it went wrong\n");
    ASSERT_EQ(logger.ring().lines().size(), 2u);
    EXPECT_THAT(logger.ring().lines()[1], HasSubstr(" 0 broker "));
}

TEST(Logger, FollowerForwardsErrorsAndPrintsOnlyCriticalOnes) {
    Logger logger;
    logger.set_rank(3);
    std::vector<std::string> forwarded;
    logger.set_forward([&](const LogLine& line) { forwarded.push_back(line.text); });
    CaptureStderr();
    logger.err("overlay", "lost");
    logger.warning("overlay", "slow");
    logger.log(LogLevel::crit, "overlay", "dead");
    EXPECT_EQ(GetCapturedStderr(), "overlay.crit[3]: dead\n");
    EXPECT_THAT(forwarded, ElementsAre("lost", "dead"));
}

TEST(Logger, ModeLocalPrintsOnEachBrokerAndNotTwiceOnTheLead) {
    Logger follower, lead;
    follower.set_rank(1);
    ASSERT_TRUE(follower.set("log-stderr-mode", "local"));
    ASSERT_TRUE(lead.set("log-stderr-mode", "local"));
    std::vector<LogLine> forwarded;
    follower.set_forward([&](const LogLine& line) { forwarded.push_back(line); });
    CaptureStderr();
    follower.err("a", "x");
    for (const LogLine& line : forwarded) lead.append_forwarded(line);
    EXPECT_EQ(GetCapturedStderr(), "a.err[1]: x\n");
}

TEST(Logger, RefusesAFileThatCannotBeOpened) {
    Logger logger;
    EXPECT_EQ(logger.set("log-filename", "/no/such/folder/log").error().text(),
              "log-filename: /no/such/folder/log: No such file or directory");
    EXPECT_TRUE(logger.settings().filename.empty());
}

}  // namespace
}  // namespace sluice
