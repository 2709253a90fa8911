#include "cmd/format/uptime_text.hpp"

#include <gtest/gtest.h>

namespace sluice {
namespace {

UptimeFacts running() {
    return {.time = "07:48:42",
            .state = "run",
            .seconds = 2.1 * 86400,
            .owner = "flux",
            .depth = "0",
            .size = 8};
}

TEST(UptimeText, IsOneLineWhenAllIsWell) {
    EXPECT_EQ(uptime_text(running()), " 07:48:42 run 2.1d,  owner flux,  depth 0,  size 8\n");
}

TEST(UptimeText, CountsNodesAndNamesStoppedQueues) {
    UptimeFacts facts = running();
    facts.drained = 1;
    facts.offline = 2;
    facts.submit_disabled = facts.scheduler_stopped = true;
    EXPECT_EQ(uptime_text(facts),
              " 07:48:42 run 2.1d,  owner flux,  depth 0,  size 8,  1 drained,  2 offline\n"
              "  submit disabled,  scheduler stopped\n");
    facts.submit_disabled = false;
    EXPECT_TRUE(uptime_text(facts).ends_with("\n  scheduler stopped\n"));
}

}  // namespace
}  // namespace sluice
