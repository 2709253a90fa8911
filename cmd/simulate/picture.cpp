#include "cmd/simulate/picture.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "cmd/simulate/core_map.hpp"
#include "cmd/simulate/gantt.hpp"
#include "cmd/simulate/svg.hpp"

namespace sluice {
namespace {

constexpr double page_width = 1280, margin_left = 84, margin_right = 32;
constexpr double plot_width = page_width - margin_left - margin_right;
constexpr double header_height = 84, gantt_height = 280, strip_height = 56, gap = 34,
                 title_height = 52, axis_height = 30, panel_space = 36;

/// Means of a step function over equal parts of the time axis.
std::vector<double> binned(const std::vector<SimSample>& samples, const TimeAxis& axis,
                           std::size_t bins, std::uint64_t SimSample::*member) {
    std::vector<double> means(bins);
    const double width = (axis.last - axis.first) / static_cast<double>(bins);
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const double from = samples[i].time;
        const double to = i + 1 < samples.size() ? samples[i + 1].time : axis.last;
        const auto value = static_cast<double>(samples[i].*member);
        if (value == 0 || !(from < to)) continue;
        for (auto bin = axis.bin(from, bins); bin <= axis.bin(to, bins); ++bin) {
            const double begin = axis.first + static_cast<double>(bin) * width;
            const double overlap = std::min(to, begin + width) - std::max(from, begin);
            means[bin] += value * std::max(0.0, overlap) / width;
        }
    }
    return means;
}

struct StripLook {
    std::string_view name, stroke, fill;
    double most;           // top of the scale
    std::string top_text;
};

void add_strip(std::string& svg, const Box& box, const std::vector<double>& values,
               const StripLook& look) {
    add_line(svg, box.x, box.y, box.x + box.width, box.y, grid_line);
    add_line(svg, box.x, box.y + box.height, box.x + box.width, box.y + box.height, grid_line);
    std::string points, area = fmt::format("{:.2f},{:.2f} ", box.x, box.y + box.height);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double x = box.x + (static_cast<double>(i) + 0.5) * box.width /
                                     static_cast<double>(values.size());
        const double part = look.most > 0 ? std::min(values[i] / look.most, 1.0) : 0;
        points += fmt::format("{:.2f},{:.2f} ", x, box.y + box.height * (1 - part));
    }
    area += points + fmt::format("{:.2f},{:.2f}", box.x + box.width, box.y + box.height);
    svg += fmt::format("<polygon points=\"{}\" fill=\"{}\"/>\n", area, look.fill);
    svg += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" "
                       "stroke-width=\"1.4\"/>\n", points, look.stroke);
    add_text(svg, box.x, box.y - 6, look.name, {.size = 12, .colour = pale_ink});
    add_text(svg, box.x - 8, box.y + 5, look.top_text,
             {.size = 11, .colour = pale_ink, .anchor = "end"});
    add_text(svg, box.x - 8, box.y + box.height + 4, "0",
             {.size = 11, .colour = pale_ink, .anchor = "end"});
}

std::string summary(const SimStatistics& it) {
    return fmt::format("utilisation {:.1f} %   ·   wait {} mean, {} longest   ·   bounded slowdown "
                       "{:.2f} mean   ·   makespan {}   ·   {} jobs ran{}",
                       100 * it.utilisation, span_text(it.wait.mean), span_text(it.wait.max),
                       it.bounded_slowdown.mean, span_text(it.makespan), it.ran,
                       it.denied ? fmt::format(", {} denied", it.denied) : "");
}

/// One policy from `y` on; returns where it ends.
double add_panel(std::string& svg, double y, const Workload& workload, const SimMachine& machine,
                 const SimOutcome& outcome, const TimeAxis& axis, double waiting_most) {
    constexpr std::size_t bins = 580;
    add_text(svg, margin_left, y + 18, outcome.simulation.policy, {.size = 19, .bold = true});
    add_text(svg, margin_left, y + 38, summary(outcome.statistics),
             {.size = 13, .colour = pale_ink});
    Box box{margin_left, y + title_height, plot_width, gantt_height};
    add_gantt(svg, box, workload, machine, outcome.simulation, axis);
    box.y += gantt_height;
    add_time_axis(svg, box, axis);
    box.y += axis_height + gap - 8;
    box.height = strip_height;
    const auto cores = static_cast<double>(machine.cores);
    add_strip(svg, box, binned(outcome.simulation.samples, axis, bins, &SimSample::busy_cores),
              {"cores in use", busy_stroke, busy_fill, cores, "100 %"});
    box.y += strip_height + gap;
    add_strip(svg, box, binned(outcome.simulation.samples, axis, bins, &SimSample::waiting),
              {"jobs waiting", waiting_stroke, waiting_fill, waiting_most,
               fmt::format("{:.0f}", waiting_most)});
    box.y += strip_height + gap;
    box.height = add_core_map(svg, box, machine, outcome.simulation);
    return box.y + box.height + panel_space;
}

TimeAxis axis_of(const Workload& workload, std::span<const SimOutcome> outcomes) {
    TimeAxis axis{workload.jobs.empty() ? 0 : workload.jobs.front().submit, 0, margin_left,
                  plot_width};
    axis.last = axis.first + 1;
    for (const SimOutcome& outcome : outcomes)
        for (const SimResult& result : outcome.simulation.results)
            axis.last = std::max(axis.last, result.end);
    return axis;
}

}  // namespace

std::string simulation_svg(const Workload& workload, const SimMachine& machine,
                           std::span<const SimOutcome> outcomes, const PictureText& text) {
    const TimeAxis axis = axis_of(workload, outcomes);
    double waiting_most = 1;
    for (const SimOutcome& outcome : outcomes)
        waiting_most = std::max(waiting_most, static_cast<double>(outcome.statistics.waiting_max));
    std::string body;
    add_text(body, margin_left, 38, text.title, {.size = 24, .bold = true});
    add_text(body, margin_left, 60, text.subtitle, {.size = 13, .colour = pale_ink});
    double y = header_height;
    for (const SimOutcome& outcome : outcomes)
        y = add_panel(body, y, workload, machine, outcome, axis, waiting_most);
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1:.0f}\" "
        "viewBox=\"0 0 {0} {1:.0f}\" font-family=\"Inter, 'Helvetica Neue', Arial, 'DejaVu Sans', "
        "sans-serif\" shape-rendering=\"geometricPrecision\">\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"{2}\"/>\n{3}</svg>\n",
        page_width, y, paper, body);
}

}  // namespace sluice
