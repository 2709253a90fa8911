// What `flux top` shows, as lines of text: a summary of the instance and a table of its running
// jobs. Pure: facts in, lines out.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace sluice {

struct TopUse {
    std::size_t used = 0, total = 0;
};

struct TopSummary {
    std::string path = "/", version;  // the instance's job id path
    std::size_t size = 0;
    std::int64_t depth = 0;
    double seconds_up = 0;
    std::optional<double> seconds_left;  // nothing: no time limit
    TopUse nodes, cores, gpus;
    std::int64_t pending = 0, running = 0, complete = 0, failed = 0;
};

struct TopJob {
    std::string id, queue, user, state, name;
    std::int64_t ntasks = 0, nnodes = 0;
    double runtime = 0;
    bool instance = false;
};

struct TopLine {
    enum class Look { plain, heading, instance, selected };
    std::string text;
    Look look = Look::plain;
    friend bool operator==(const TopLine&, const TopLine&) = default;
};

struct TopView {
    std::size_t columns = 80, rows = 24;
    std::size_t selected = 0;  // index of a job
    bool details = false;      // complete and failed apart
    bool beat = false;         // the heart is full
};

/// At most view.rows lines, none wider than view.columns.
std::vector<TopLine> top_screen(const TopSummary& summary, const std::vector<TopJob>& jobs,
                                const TopView& view);

/// Columns that UTF-8 text takes on a terminal; all characters here take one.
std::size_t text_columns(std::string_view text);

}  // namespace sluice
