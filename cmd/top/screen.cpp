#include "cmd/top/screen.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/rfc/fsd.hpp"

namespace sluice {
namespace {

constexpr std::size_t bar_columns = 30;

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

/// The first `columns` characters, with "+" as the last one when something was cut.
std::string cut(const std::string& text, std::size_t columns) {
    if (text_columns(text) <= columns) return text;
    if (columns == 0) return "";
    std::size_t end = 0;
    for (std::size_t seen = 0; end < text.size(); ++end)
        if (!continues(text[end]) && seen++ == columns - 1) break;
    return text.substr(0, end) + "+";
}

std::string padded(const std::string& text, std::size_t columns) {
    const std::size_t used = text_columns(text);
    return text + std::string(columns > used ? columns - used : 0, ' ');
}

/// `left`, and `right` at the end of the line.
std::string spread(const std::string& left, const std::string& right, std::size_t columns) {
    const std::size_t used = text_columns(left) + text_columns(right);
    if (used + 1 > columns) return cut(left + " " + right, columns);
    return left + std::string(columns - used, ' ') + right;
}

/// " nodes [||||||||          2/4]"
std::string bar(std::string_view name, const TopUse& use) {
    const std::string count = fmt::format("{}/{}", use.used, use.total);
    const std::size_t room = bar_columns > count.size() ? bar_columns - count.size() : 0;
    const std::size_t filled = use.total ? (use.used * room + use.total - 1) / use.total : 0;
    return fmt::format("{:>6} [{}{}{}]", name, std::string(std::min(filled, room), '|'),
                       std::string(room - std::min(filled, room), ' '), count);
}

std::vector<TopLine> summary_lines(const TopSummary& summary, const TopView& view) {
    const std::string left =
        summary.seconds_left ? "⌚ " + fsd_format(std::max(0.0, *summary.seconds_left)) : "∞";
    const std::string ended =
        view.details ? fmt::format("{} complete, {} failed", summary.complete, summary.failed)
                     : fmt::format("{} inactive", summary.complete + summary.failed);
    std::vector<std::string> lines{
        spread(summary.path, left, view.columns),
        spread(bar("nodes", summary.nodes), fmt::format("{} pending", summary.pending),
               view.columns),
        spread(bar("cores", summary.cores), fmt::format("{} running", summary.running),
               view.columns),
        spread(summary.gpus.total ? bar("gpus", summary.gpus) : "", ended, view.columns),
        spread(fmt::format("{} size: {}  depth: {}  uptime: {}", view.beat ? "♥" : "♡",
                           summary.size, summary.depth, fsd_format(summary.seconds_up)),
               summary.version, view.columns)};
    std::vector<TopLine> out;
    for (std::string& line : lines) out.push_back({std::move(line)});
    return out;
}

std::string row_text(const std::vector<std::string>& cells, bool queues) {
    std::string text;
    constexpr std::size_t widths[] = {12, 8, 8, 2, 6, 6, 8};
    for (std::size_t i = 0; i < std::size(widths); ++i) {
        if (i == 1 && !queues) continue;
        const bool right = i == 0 || i >= 3;
        const std::string cell = cut(cells[i], widths[i]);
        const std::size_t gap = widths[i] - std::min(widths[i], text_columns(cell));
        text += right ? std::string(gap, ' ') + cell : padded(cell, widths[i]);
        text += ' ';
    }
    return text + cells.back();
}

}  // namespace

std::size_t text_columns(std::string_view text) {
    return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, continues));
}

std::vector<TopLine> top_screen(const TopSummary& summary, const std::vector<TopJob>& jobs,
                                const TopView& view) {
    std::vector<TopLine> lines = summary_lines(summary, view);
    const bool queues =
        std::ranges::any_of(jobs, [](const TopJob& job) { return !job.queue.empty(); });
    lines.push_back({row_text({"JOBID", "QUEUE", "USER", "ST", "NTASKS", "NNODES", "RUNTIME",
                               "NAME"},
                              queues),
                     TopLine::Look::heading});
    const std::size_t room = view.rows > lines.size() ? view.rows - lines.size() : 0;
    // The selected job stays in sight.
    const std::size_t first = view.selected >= room && room > 0 ? view.selected - room + 1 : 0;
    for (std::size_t i = first; i < jobs.size() && i < first + room; ++i) {
        const TopJob& job = jobs[i];
        const auto look = i == view.selected ? TopLine::Look::selected
                          : job.instance     ? TopLine::Look::instance
                                             : TopLine::Look::plain;
        lines.push_back({row_text({job.id, job.queue, job.user, job.state,
                                   std::to_string(job.ntasks), std::to_string(job.nnodes),
                                   fsd_format(job.runtime), job.name},
                                  queues),
                         look});
    }
    for (TopLine& line : lines) line.text = cut(line.text, view.columns);
    if (lines.size() > view.rows) lines.resize(view.rows);
    return lines;
}

}  // namespace sluice
