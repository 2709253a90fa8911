#include "cmd/render_table.hpp"

#include <algorithm>
#include <functional>
#include <thread>

namespace sluice {
namespace {

bool is_blank(std::string_view line) {
    return line.find_first_not_of(' ') == line.npos;
}

/// Calls work(from, to) for the parts of [0, count), on all cores when there is much to do.
template <class Work>
void in_parts(std::size_t count, const Work& work) {
    constexpr std::size_t part_min = 5000;
    const std::size_t cores = std::max(1u, std::jthread::hardware_concurrency());
    const std::size_t parts = std::clamp<std::size_t>(count / part_min, 1, cores);
    std::vector<std::jthread> threads;
    for (std::size_t part = 1; part < parts; ++part)
        threads.emplace_back(std::cref(work), count * part / parts, count * (part + 1) / parts);
    work(0, count / parts);
}

}  // namespace

std::string render_table(OutputFormat format, const std::vector<FieldsOfRow>& rows,
                         const TableOptions& options) {
    const auto cut = [&](std::string line) {
        if (!options.width || text_width(line) <= *options.width || *options.width == 0)
            return line;
        return std::string(text_prefix(line, *options.width - 1)) + "+";
    };
    format.fit(rows);
    const std::vector<std::size_t> order = format.order(rows);
    std::vector<std::string> lines(order.size());
    in_parts(order.size(), [&](std::size_t from, std::size_t to) {
        for (; from < to; ++from) lines[from] = cut(format.row(rows[order[from]]));
    });
    std::string out;
    if (options.header) out += cut(format.header()) + "\n";
    for (std::size_t at = 0; at < lines.size(); ++at) {
        const std::size_t i = order[at];
        std::string& line = lines[at];
        if (is_blank(line)) continue;
        out += (options.decorate ? options.decorate(i, std::move(line)) : line) + "\n";
    }
    return out;
}

}  // namespace sluice
