#include "shell/affinity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::shell {
namespace {

using testing::ElementsAre;

std::vector<Idset> assign(std::string_view option, const Idset& cores, std::size_t ntasks) {
    const std::vector<Idset> two_threads{{0, 4}, {1, 5}, {2, 6}, {3, 7}};
    const auto options = parse_affinity("cpu-affinity", option);
    EXPECT_TRUE(options) << option;
    return assign_cpus(*options, cores, two_threads, ntasks);
}

TEST(CpuAffinity, GivesAllCoresOfTheJobByDefault) {
    EXPECT_THAT(assign("on", {0, 2}, 2), ElementsAre(Idset{0, 2, 4, 6}, Idset{0, 2, 4, 6}));
    EXPECT_THAT(assign("off", {0, 2}, 1), ElementsAre(Idset{}));
}

TEST(CpuAffinity, SharesCoresOutPerTask) {
    EXPECT_THAT(assign("per-task", {0, 1, 2}, 2), ElementsAre(Idset{0, 1, 4, 5}, Idset{2, 6}));
    EXPECT_THAT(assign("per-task", {3}, 2), ElementsAre(Idset{3, 7}, Idset{3, 7}));
}

TEST(CpuAffinity, TakesAMapOfListsAndMasks) {
    EXPECT_THAT(assign("map:1;0", {0, 1}, 3), ElementsAre(Idset{1}, Idset{0}, Idset{1}));
    EXPECT_THAT(assign("verbose,map:0x3;0x10;2-3", {0}, 3),
                ElementsAre(Idset{0, 1}, Idset{4}, Idset{2, 3}));
    EXPECT_THAT(assign("map:0x3,0x5;0x1,00000000", {0}, 2),
                ElementsAre(Idset{0, 2, 32, 33}, Idset{32}));
}

TEST(CpuAffinity, TellsOfATrial) {
    EXPECT_TRUE(parse_affinity("cpu-affinity", "dry-run,per-task")->verbose);
}

TEST(CpuAffinity, RefusesWhatItDoesNotKnow) {
    for (const char* text : {"", "maybe", "map:", "map:x", "map:0xg", "map:1;;2"})
        EXPECT_FALSE(parse_affinity("cpu-affinity", text)) << text;
}

TEST(GpuAffinity, ListsDevicesOrHidesThem) {
    const auto on = parse_affinity("gpu-affinity", "on");
    EXPECT_THAT(assign_gpus(*on, {0, 2}, 2), ElementsAre("0,2", "0,2"));
    EXPECT_THAT(assign_gpus(*on, {}, 1), ElementsAre("-1"));
    const auto per_task = parse_affinity("gpu-affinity", "per-task");
    EXPECT_THAT(assign_gpus(*per_task, {0, 1}, 2), ElementsAre("0", "1"));
    const auto off = parse_affinity("gpu-affinity", "off");
    EXPECT_THAT(assign_gpus(*off, {0, 1}, 2), ElementsAre());
}

}  // namespace
}  // namespace sluice::shell
