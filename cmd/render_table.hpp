// A table of the rows that a command lists.
#pragma once

#include "cmd/format/output_format.hpp"

namespace sluice {

struct TableOptions {
    bool header = true;
    std::optional<std::size_t> width;  // longer lines are cut and marked with '+'
    /// Colours a finished line; `row` is the index before sorting.
    std::function<std::string(std::size_t row, std::string line)> decorate;
};

/// Lines of the whole table, each ended by '\n'; blank rows are left out.
std::string render_table(OutputFormat format, const std::vector<FieldsOfRow>& rows,
                         const TableOptions& options);

}  // namespace sluice
