// RFC 23 - see fsd.hpp.
#include "base/rfc/fsd.hpp"

#include <charconv>
#include <cmath>
#include <limits>

namespace sluice {
namespace {

struct Unit {
    std::string_view suffix;
    double seconds;
};
constexpr Unit units[] = {{"", 1},   {"ms", 0.001}, {"s", 1},
                          {"m", 60}, {"h", 3600},   {"d", 86400}};

std::string in_units(double seconds, int digits) {
    if (seconds < 60) return fmt::format("{:.{}g}s", seconds, digits);
    if (seconds < 3600) return fmt::format("{:.{}g}m", seconds / 60, digits);
    if (seconds < 86400) return fmt::format("{:.{}g}h", seconds / 3600, digits);
    return fmt::format("{:.{}g}d", seconds / 86400, digits);
}

}  // namespace

Result<double> fsd_parse(std::string_view text) {
    if (text == "inf" || text == "infinity" || text == "INF" || text == "INFINITY")
        return std::numeric_limits<double>::infinity();
    const Error invalid{EINVAL, "invalid Flux standard duration"};  // clients match this text
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || !std::isfinite(value) || std::signbit(value)) return invalid;
    const std::string_view suffix = text.substr(end - text.data());
    for (const Unit& unit : units)
        if (unit.suffix == suffix) return value * unit.seconds;
    return invalid;
}

std::string fsd_format(double seconds) {
    if (std::isinf(seconds)) return "inf";
    if (seconds < 0.001) return "0s";
    if (seconds < 10) return fmt::format("{:.3f}s", seconds);
    return in_units(seconds, 4);
}

std::string fsd_format(double seconds, int digits) {
    if (std::isinf(seconds)) return "inf";
    if (seconds < 0.001) return "0s";
    return in_units(seconds, digits);
}

}  // namespace sluice
