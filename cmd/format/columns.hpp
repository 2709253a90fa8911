// Names in columns, as ls prints them. Pure.
#pragma once

#include <string>
#include <vector>

namespace sluice {

/// Lines of `width` characters at most, filled column by column; one name a line with width 0.
std::string columns_text(const std::vector<std::string>& names, std::size_t width);

}  // namespace sluice
