#include "cmd/top/screen.hpp"

#include <gtest/gtest.h>

namespace sluice {
namespace {

std::vector<std::string> texts(const std::vector<TopLine>& lines) {
    std::vector<std::string> out;
    for (const TopLine& line : lines) {
        std::string text = line.text;
        text.erase(text.find_last_not_of(' ') + 1);
        out.push_back(text);
    }
    return out;
}

TopSummary summary() {
    return {.path = "/ƒA",
            .version = "0.1",
            .size = 4,
            .depth = 1,
            .seconds_up = 90,
            .seconds_left = 600.0,
            .nodes = {1, 4},
            .cores = {16, 16},
            .gpus = {},
            .pending = 3,
            .running = 2,
            .complete = 5,
            .failed = 1};
}

TopJob job(std::string id, std::string name) {
    return {.id = std::move(id), .queue = "", .user = "alice", .state = "R",
            .name = std::move(name), .ntasks = 8, .nnodes = 2, .runtime = 75};
}

TEST(TopScreen, ShowsSummaryAndJobs) {
    const auto lines = top_screen(summary(), {job("ƒB", "sleep")}, {.columns = 60, .rows = 9});
    EXPECT_EQ(texts(lines),
              (std::vector<std::string>{
                  "/ƒA                                                    ⌚ 10m",
                  " nodes [|||||||                    1/4]            3 pending",
                  " cores [|||||||||||||||||||||||||16/16]            2 running",
                  "                                                  6 inactive",
                  "♡ size: 4  depth: 1  uptime: 1.5m                        0.1",
                  "       JOBID USER     ST NTASKS NNODES  RUNTIME NAME",
                  "          ƒB alice     R      8      2    1.25m sleep"}));
    EXPECT_EQ(lines[5].look, TopLine::Look::heading);
    EXPECT_EQ(lines[6].look, TopLine::Look::selected);
}

TEST(TopScreen, ShowsQueuesDetailsGpusAndNoTimeLimit) {
    TopSummary facts = summary();
    facts.gpus = {2, 8};
    facts.seconds_left.reset();
    TopJob queued = job("ƒB", "sleep");
    queued.queue = "debug-long";
    const auto lines = texts(top_screen(facts, {queued},
                                        {.columns = 60, .rows = 9, .details = true, .beat = true}));
    EXPECT_EQ(lines[0], "/ƒA                                                        ∞");
    EXPECT_EQ(lines[3], "  gpus [|||||||                    2/8] 5 complete, 1 failed");
    EXPECT_EQ(lines[4].substr(0, 3), "♥");
    EXPECT_EQ(lines[5], "       JOBID QUEUE    USER     ST NTASKS NNODES  RUNTIME NA+");
    EXPECT_EQ(lines[6], "          ƒB debug-l+ alice     R      8      2    1.25m sl+");
}

TEST(TopScreen, KeepsTheSelectedJobInSight) {
    std::vector<TopJob> jobs;
    for (int i = 0; i < 10; ++i) jobs.push_back(job(std::to_string(i), "x"));
    jobs[5].instance = true;
    const auto lines = top_screen(summary(), jobs, {.columns = 60, .rows = 9, .selected = 6});
    ASSERT_EQ(lines.size(), 9u);
    EXPECT_EQ(texts(lines)[8].substr(10, 2), " 6");
    EXPECT_EQ(lines[8].look, TopLine::Look::selected);
    EXPECT_EQ(lines[7].look, TopLine::Look::instance);
}

TEST(TopScreen, FitsAnyTerminal) {
    for (const std::size_t columns : {0, 1, 5, 20, 200})
        for (const std::size_t rows : {0, 1, 6, 50})
            for (const TopLine& line :
                 top_screen(summary(), {job("ƒB", "sleep")}, {.columns = columns, .rows = rows}))
                EXPECT_LE(text_columns(line.text), columns);
    EXPECT_TRUE(top_screen(summary(), {}, {.columns = 80, .rows = 0}).empty());
}

}  // namespace
}  // namespace sluice
