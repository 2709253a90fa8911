#include "cmd/format/columns.hpp"

#include <algorithm>

namespace sluice {

std::string columns_text(const std::vector<std::string>& names, std::size_t width) {
    constexpr std::size_t gap = 4;
    std::size_t longest = 0;
    for (const std::string& name : names) {
        const bool marked = name.ends_with('.') || name.ends_with('@');  // marks take of the gap
        longest = std::max(longest, name.size() - (marked ? 1 : 0));
    }
    const std::size_t column = longest + gap;
    const std::size_t columns = width ? std::max<std::size_t>(1, width / column) : 1;
    const std::size_t rows = (names.size() + columns - 1) / columns;
    std::string text;
    for (std::size_t row = 0; row < rows; ++row) {
        std::string line;
        for (std::size_t i = row; i < names.size(); i += rows) {
            line += names[i];
            const bool last = i + rows >= names.size();
            if (!last) line.resize(line.size() + column - std::min(column, names[i].size()), ' ');
        }
        text += line + "\n";
    }
    return text;
}

}  // namespace sluice
