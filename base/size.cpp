#include "base/size.hpp"

#include <charconv>

namespace sluice {

Result<std::uint64_t> parse_size(std::string_view text) {
    constexpr std::string_view units = "kKMGT";
    constexpr double factors[] = {1024.0, 1024.0, 1048576.0, 1073741824.0, 1099511627776.0};
    constexpr double bytes_max = 9223372036854775808.0;
    double bytes = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, bytes);
    const std::string_view unit{rest, static_cast<std::size_t>(end - rest)};
    const std::size_t at = unit.size() == 1 ? units.find(unit[0]) : units.npos;
    const bool known = unit.empty() || at != units.npos;
    if (error == std::errc{} && known && !unit.empty()) bytes *= factors[at];
    if (error != std::errc{} || !known || !(bytes >= 0 && bytes < bytes_max))
        return fail(EINVAL, "'{}' is no size; write 10M or 1G", text);
    return static_cast<std::uint64_t>(bytes);
}

}  // namespace sluice
