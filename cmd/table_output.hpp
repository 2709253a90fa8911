// -o and -n of the commands that list something, and the printing of the table.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cmd/cli.hpp"
#include "cmd/format/named_formats.hpp"
#include "cmd/format/table.hpp"

namespace sluice {

class TableOutput {
  public:
    void declare(Cli& cli);
    /// Takes the format that -o wants. An exit code when the command is over: the formats were
    /// listed (0), or the format is wrong (1); both have been printed.
    std::optional<int> choose(const Cli& cli, const FormatCatalog& catalog,
                              const std::function<std::optional<std::string>(std::string_view)>&
                                  heading_of);
    const OutputFormat& format() const { return *format_; }

    /// Prints a line for each of `rows`; `field_of(row, name)` gives the value of a field.
    template <class Row, class FieldOf>
    void print(const std::vector<Row>& rows, FieldOf field_of) const {
        Table table{*format_, {.header = !no_header_}};
        for (const Row& row : rows)
            table.add([&](std::string_view name) { return field_of(row, name); });
        write(table);
    }

  private:
    static void write(Table& table);

    std::string wanted_ = "default";
    bool no_header_ = false;
    std::optional<OutputFormat> format_;
};

}  // namespace sluice
