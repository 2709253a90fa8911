#include "cmd/simulate/gantt.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <vector>

namespace sluice {
namespace {

/// More rectangles than this are no picture any more.
constexpr std::size_t rectangles_max = 3000;
constexpr std::size_t raster_columns = 387, raster_rows_max = 128, raster_levels = 16;
constexpr double hour = 3600, day = 86400;

/// Nodes in the order of their ranks, as places from the top.
class NodePlaces {
  public:
    explicit NodePlaces(const ResourceSet& R) {
        for (const ResourceSet::Node& node : R.nodes()) place_.emplace(node.rank, place_.size());
    }
    std::size_t of(std::uint32_t rank) const { return place_.at(rank); }

  private:
    std::map<std::uint32_t, std::size_t> place_;
};

std::size_t rectangle_count(const Simulation& simulation) {
    std::size_t count = 0;
    for (const SimResult& result : simulation.results) count += result.ranks.ranges().size();
    return count;
}

void add_jobs(std::string& svg, const Box& box, const Workload& workload,
              const SimMachine& machine, const Simulation& simulation, const TimeAxis& axis) {
    const NodePlaces places(machine.R);
    const double row = box.height / static_cast<double>(machine.nodes);
    for (std::size_t i = 0; i < simulation.results.size(); ++i) {
        const SimResult& result = simulation.results[i];
        const bool fills = result.ranks.empty() ||
                           result.cores * machine.nodes >= result.ranks.size() * machine.cores;
        const double x = axis.place(result.start);
        const double width = std::max(0.4, axis.place(result.end) - x);
        for (const Idset::Range& range : result.ranks.ranges()) {
            const double y = box.y + row * static_cast<double>(places.of(range.first));
            const double height =
                row * static_cast<double>(places.of(range.last) - places.of(range.first) + 1);
            const double line = height > 4 && width > 4 ? 0.8 : 0;
            add_rect(svg, {x, y, width - line, height - line}, job_colour(i), fills ? 1 : 0.6);
            const std::string label = std::to_string(workload.jobs[i].number);
            if (height >= 12 && width >= 9 + 6 * static_cast<double>(label.size()))
                add_text(svg, x + width / 2, y + height / 2 + 3.5, label,
                         {.size = 10, .colour = paper, .anchor = "middle"});
        }
    }
}

/// How full each cell of time and nodes was, 0 to 1, row by row.
std::vector<double> raster_of(const SimMachine& machine, const Simulation& simulation,
                              const TimeAxis& axis, std::size_t rows) {
    std::vector<double> raster(rows * raster_columns);
    const NodePlaces places(machine.R);
    const double cell_seconds = (axis.last - axis.first) / raster_columns;
    const double nodes_a_row = static_cast<double>(machine.nodes) / static_cast<double>(rows);
    const double cores_a_node =
        static_cast<double>(machine.cores) / static_cast<double>(machine.nodes);
    for (const SimResult& result : simulation.results) {
        if (result.ranks.empty()) continue;
        const double part = static_cast<double>(result.cores) /
                            (static_cast<double>(result.ranks.size()) * cores_a_node);
        for (const std::uint32_t rank : result.ranks) {
            const auto row = static_cast<std::size_t>(static_cast<double>(places.of(rank)) /
                                                      nodes_a_row);
            for (auto column = axis.bin(result.start, raster_columns);
                 column <= axis.bin(result.end, raster_columns); ++column) {
                const double begin = axis.first + static_cast<double>(column) * cell_seconds;
                const double overlap = std::min(result.end, begin + cell_seconds) -
                                       std::max(result.start, begin);
                raster[row * raster_columns + column] +=
                    part * std::max(0.0, overlap) / (cell_seconds * nodes_a_row);
            }
        }
    }
    return raster;
}

/// Neighbours of one level are one rectangle.
void add_raster(std::string& svg, const Box& box, const SimMachine& machine,
                const Simulation& simulation, const TimeAxis& axis) {
    const std::size_t rows = std::min<std::size_t>(machine.nodes, raster_rows_max);
    const std::vector<double> raster = raster_of(machine, simulation, axis, rows);
    const double width = box.width / raster_columns;
    const double height = box.height / static_cast<double>(rows);
    const auto level = [&](std::size_t row, std::size_t column) {
        return std::lround(raster[row * raster_columns + column] * raster_levels);
    };
    svg += "<g shape-rendering=\"crispEdges\">\n";
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t column = 0; column < raster_columns;) {
            std::size_t end = column + 1;
            while (end < raster_columns && level(row, end) == level(row, column)) ++end;
            if (const long value = level(row, column))
                add_rect(svg,
                         {box.x + width * static_cast<double>(column),
                          box.y + height * static_cast<double>(row),
                          width * static_cast<double>(end - column) + 0.3, height + 0.3},
                         load_colour(static_cast<double>(value) / raster_levels));
            column = end;
        }
    }
    svg += "</g>\n";
}

void add_scale(std::string& svg, const Box& box) {
    constexpr int steps = 24;
    const double width = 144, x = box.x + box.width - width, y = box.y - 20;
    for (int i = 0; i < steps; ++i)
        add_rect(svg, {x + width * i / steps, y, width / steps + 0.2, 9},
                 load_colour(static_cast<double>(i) / (steps - 1)));
    add_text(svg, x - 8, y + 9, "part of the cores in use: 0", {.size = 11, .colour = pale_ink,
                                                                .anchor = "end"});
    add_text(svg, x + width, y - 4, "all", {.size = 11, .colour = pale_ink, .anchor = "end"});
}

}  // namespace

void add_gantt(std::string& svg, const Box& box, const Workload& workload,
               const SimMachine& machine, const Simulation& simulation, const TimeAxis& axis) {
    add_rect(svg, box, idle_fill);
    if (rectangle_count(simulation) <= rectangles_max) {
        add_jobs(svg, box, workload, machine, simulation, axis);
    } else {
        add_raster(svg, box, machine, simulation, axis);
        add_scale(svg, box);
    }
    constexpr int parts = 4;
    for (int i = 0; i <= parts; ++i) {
        const double y = box.y + box.height * i / parts;
        add_text(svg, box.x - 8, y + 4,
                 std::to_string(machine.nodes * static_cast<std::uint64_t>(i) / parts),
                 {.size = 11, .colour = pale_ink, .anchor = "end"});
    }
    svg += fmt::format("<text transform=\"translate({:.2f},{:.2f}) rotate(-90)\" font-size=\"12\" "
                       "fill=\"{}\" text-anchor=\"middle\">nodes</text>\n",
                       box.x - 56, box.y + box.height / 2, pale_ink);
}

void add_time_axis(std::string& svg, const Box& box, const TimeAxis& axis) {
    constexpr std::array steps{1.0,   5.0,  10.0,     30.0,     60.0,     300.0,    600.0,
                               1800.0, hour, 2 * hour, 6 * hour, 12 * hour, day,     2 * day,
                               7 * day, 30 * day, 90 * day, 365 * day};
    const double span = axis.last - axis.first;
    double step = steps.back();
    for (const double each : steps)
        if (span / each <= 14) {
            step = each;
            break;
        }
    const auto [unit, name] = step >= day    ? std::pair{day, "d"}
                              : step >= hour ? std::pair{hour, "h"}
                              : step >= 60   ? std::pair{60.0, "min"}
                                             : std::pair{1.0, "s"};
    const auto ticks = static_cast<int>(std::min(span / step, 400.0));
    for (int i = 0; i <= ticks; ++i) {
        const double x = axis.place(axis.first + i * step);
        add_line(svg, x, box.y, x, box.y + 5, pale_ink);
        add_text(svg, x, box.y + 19, fmt::format("{:g} {}", i * step / unit, name),
                 {.size = 11, .colour = pale_ink, .anchor = "middle"});
    }
}

}  // namespace sluice
