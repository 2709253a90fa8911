// The output-format language of the listing tools: literal text with fields {name!conversion:spec},
// column prefixes ?: (drop when empty), +: (widen to fit) and ?+: (both), suffixes h (a dash for
// nothing) and + (mark a cut) of the specification, and "sort:k1,-k2 " in front.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "cmd/format/format_spec.hpp"

namespace sluice {

/// Heading of a field, nullopt when there is no such field.
using HeadingOf = std::function<std::optional<std::string>(std::string_view field)>;
/// Values of one row, by field name.
using FieldsOfRow = std::function<FieldValue(std::string_view field)>;

class OutputFormat {
  public:
    struct Field {
        std::string text;     // literal text in front, without the column prefix
        std::string name, heading;
        char conversion = 0;  // see conversion.hpp
        std::string time_format;
        FormatSpec spec;
        bool dash = false, mark_cut = false;  // suffixes h and +
        bool collapse = false, expand = false;  // prefixes ?: and +:
    };
    struct SortKey {
        std::string name;
        bool descending = false;
    };

    /// Errors: EINVAL "Unknown format field: X", "Invalid sort key: X", and for malformed braces
    /// and specifications.
    static Result<OutputFormat> parse(std::string_view format, const HeadingOf& heading_of);
    /// Replaces the sort keys ("k1,-k2"). Errors: EINVAL "Invalid sort key: X".
    Result<void> sort_by(std::string_view keys, const HeadingOf& heading_of);
    /// Sorts by field `by` where the user says `name` (ids sort by number, not by spelling).
    void sort_instead(std::string_view name, std::string_view by);

    /// Names of all fields that are printed or sorted by, each once.
    std::vector<std::string> fields() const;
    /// Order of the rows by the sort keys: unset, then numbers, then text; stable.
    std::vector<std::size_t> order(const std::vector<FieldsOfRow>& rows) const;
    /// Applies the column prefixes for these rows.
    void fit(const std::vector<FieldsOfRow>& rows);
    std::string header() const;
    std::string row(const FieldsOfRow& values) const;

  private:
    std::vector<Field> fields_;
    std::string tail_;  // literal text after the last field
    std::vector<SortKey> sort_keys_;
};

}  // namespace sluice
