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
        bool dropped = false;                   // empty in every row
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
    std::string header() const;
    std::string row(const FieldsOfRow& values) const;

    const std::vector<Field>& columns() const { return fields_; }
    Field& column(std::size_t index) { return fields_[index]; }
    /// Literal text after the last field.
    const std::string& tail() const { return tail_; }
    const std::vector<SortKey>& sort_keys() const { return sort_keys_; }

  private:
    std::vector<Field> fields_;
    std::string tail_;
    std::vector<SortKey> sort_keys_;
};

/// The value of a field in a row, converted.
FieldValue value_of(const OutputFormat::Field& field, const FieldsOfRow& values);
/// The value, or the dash that stands for an empty one.
FieldValue shown(const OutputFormat::Field& field, const FieldValue& value);
/// The value laid out.
std::string cell(const OutputFormat::Field& field, const FieldValue& value);

/// What a row is sorted by: unset sorts before numbers, and numbers before text.
struct SortValue {
    enum Kind { unset, number, text } kind = unset;
    double value = 0;
    std::string words;
};
SortValue sort_value(const FieldValue& value);
/// Below, at or above zero.
int compare(const SortValue& a, const SortValue& b);

}  // namespace sluice
