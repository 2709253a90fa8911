// Pieces of SVG text, and the colours of the pictures.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {

inline constexpr std::string_view ink = "#1f2933", pale_ink = "#7b8794", paper = "#ffffff",
                                  grid_line = "#e4e7eb", idle_fill = "#eef1f4",
                                  busy_stroke = "#2c6fbb", busy_fill = "#cfe1f5",
                                  waiting_stroke = "#c7561f", waiting_fill = "#fbe1d3";

struct Box {
    double x = 0, y = 0, width = 0, height = 0;
};
struct TextStyle {
    double size = 12;
    std::string_view colour = ink;
    std::string_view anchor = "start";
    bool bold = false;
};

/// The text with &, < and > made harmless.
std::string escape_xml(std::string_view text);
void add_rect(std::string& svg, const Box& box, std::string_view fill, double opacity = 1);
void add_line(std::string& svg, double x1, double y1, double x2, double y2,
              std::string_view colour);
void add_text(std::string& svg, double x, double y, std::string_view text,
              const TextStyle& style = {});
/// A colour for the job at this place of the workload; neighbours differ.
std::string_view job_colour(std::size_t index);
/// From nothing to full, on a scale of blues.
std::string load_colour(double part);

}  // namespace sluice
