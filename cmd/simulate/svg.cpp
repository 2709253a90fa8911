#include "cmd/simulate/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

namespace sluice {
namespace {

/// Of one lightness, so that no job looks more important than another.
constexpr std::array<std::string_view, 12> job_colours{
    "#5b8fd9", "#e08a5a", "#67b07a", "#c276b8", "#d6b14e", "#5fb3b8",
    "#d96f7b", "#8f86d8", "#9bb356", "#b98a6b", "#6aa3c9", "#cc7fa0"};

struct Colour {
    double red, green, blue;
};
constexpr std::array<Colour, 4> load_scale{
    Colour{238, 241, 244}, Colour{165, 200, 232}, Colour{70, 130, 190}, Colour{22, 62, 116}};

}  // namespace

std::string escape_xml(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '&') out += "&amp;";
        else if (c == '<') out += "&lt;";
        else if (c == '>') out += "&gt;";
        else if (static_cast<unsigned char>(c) >= 0x20) out += c;
    }
    return out;
}

void add_rect(std::string& svg, const Box& box, std::string_view fill, double opacity) {
    fmt::format_to(std::back_inserter(svg),
                   R"(<rect x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}" fill="{}")", box.x,
                   box.y, box.width, box.height, fill);
    if (opacity < 1) fmt::format_to(std::back_inserter(svg), R"( fill-opacity="{:.2f}")", opacity);
    svg += "/>\n";
}

void add_line(std::string& svg, double x1, double y1, double x2, double y2,
              std::string_view colour) {
    fmt::format_to(std::back_inserter(svg),
                   R"(<line x1="{:.2f}" y1="{:.2f}" x2="{:.2f}" y2="{:.2f}" stroke="{}"/>)"
                   "\n", x1, y1, x2, y2, colour);
}

void add_text(std::string& svg, double x, double y, std::string_view text,
              const TextStyle& style) {
    fmt::format_to(std::back_inserter(svg),
                   R"(<text x="{:.2f}" y="{:.2f}" font-size="{}" fill="{}" text-anchor="{}"{}>)"
                   "{}</text>\n", x, y, style.size, style.colour, style.anchor,
                   style.bold ? R"( font-weight="600")" : "", escape_xml(text));
}

std::string_view job_colour(std::size_t index) {
    return job_colours[index * 5 % job_colours.size()];
}

std::string load_colour(double part) {
    const double place = std::clamp(part, 0.0, 1.0) * (load_scale.size() - 1);
    const auto low = std::min<std::size_t>(static_cast<std::size_t>(place), load_scale.size() - 2);
    const double rest = place - static_cast<double>(low);
    const Colour &a = load_scale[low], &b = load_scale[low + 1];
    const auto mix = [rest](double from, double to) {
        return std::lround(from + (to - from) * rest);
    };
    return fmt::format("#{:02x}{:02x}{:02x}", mix(a.red, b.red), mix(a.green, b.green),
                       mix(a.blue, b.blue));
}

}  // namespace sluice
