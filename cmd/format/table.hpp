// A table of the rows that a command lists. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cmd/format/output_format.hpp"

namespace sluice {

struct TableOptions {
    bool header = true;
    std::optional<std::size_t> width;  // longer lines are cut and marked with '+'
};

/// Rows are laid out as they come, so that nothing of them need be kept; only cells whose column
/// later rows may widen or drop (prefixes "+:" and "?:") wait for the end.
class Table {
  public:
    explicit Table(OutputFormat format, const TableOptions& options = {});

    /// `colour` goes before the finished line, and its end behind it; static text, or empty.
    void add(const FieldsOfRow& values, std::string_view colour = {});
    std::size_t size() const { return colours_.size(); }

    /// Lines of the whole table in their order, each ended by '\n'; blank rows are left out.
    std::string text();

  private:
    using Field = OutputFormat::Field;

    void settle_columns();
    std::vector<std::size_t> order() const;
    void append_line(std::string& out, std::size_t row) const;
    void cut(std::string& out, std::size_t begin) const;
    std::string_view piece(std::size_t index) const;

    OutputFormat format_;
    TableOptions options_;
    std::vector<std::size_t> open_;  // indices of the fields that wait
    // Of each row: the text before, between and after its open cells, and their values.
    std::string text_;
    std::vector<std::size_t> piece_ends_;
    std::vector<FieldValue> open_values_;
    std::vector<SortValue> keys_;
    std::vector<std::string_view> colours_;
};

}  // namespace sluice
