#include "cmd/format/table.hpp"

#include <algorithm>
#include <numeric>

#include "cmd/format/conversion.hpp"

namespace sluice {

namespace {

bool is_blank(std::string_view line) {
    return line.find_first_not_of(' ') == line.npos;
}

/// Width of the cell if nothing were cut or padded.
std::size_t natural_width(FormatSpec spec, const FieldValue& value) {
    spec.width = 0;
    if (std::holds_alternative<std::string>(value)) spec.precision.reset();
    return text_width(format_value(spec, value));
}

}  // namespace

Table::Table(OutputFormat format, const TableOptions& options)
    : format_(std::move(format)), options_(options) {
    const std::vector<Field>& columns = format_.columns();
    for (std::size_t i = 0; i < columns.size(); ++i)
        if (columns[i].collapse || columns[i].expand) open_.push_back(i);
}

void Table::add(const FieldsOfRow& values, std::string_view colour) {
    for (const Field& field : format_.columns()) {
        FieldValue value = value_of(field, values);
        if (field.collapse || field.expand) {
            piece_ends_.push_back(text_.size());
            open_values_.push_back(std::move(value));
        } else {
            text_ += field.text;
            text_ += cell(field, value);
        }
    }
    text_ += format_.tail();
    piece_ends_.push_back(text_.size());
    for (const OutputFormat::SortKey& key : format_.sort_keys())
        keys_.push_back(sort_value(values(key.name)));
    colours_.push_back(colour);
}

/// Drops the columns that are empty everywhere, and widens others.
void Table::settle_columns() {
    for (std::size_t i = 0; i < open_.size(); ++i) {
        Field& field = format_.column(open_[i]);
        bool empty = true;
        std::size_t width = std::max(field.spec.width, text_width(field.heading));
        for (std::size_t at = i; at < open_values_.size(); at += open_.size()) {
            const FieldValue& value = open_values_[at];
            empty = empty && is_empty_value(value);
            if (!field.expand) continue;
            width = std::max(width, natural_width(field.spec, shown(field, value)));
        }
        field.dropped = field.collapse && empty;
        if (!field.expand) continue;
        field.spec.width = width;
        const bool cuts_text = field.spec.type == 0 || field.spec.type == 's';
        if (cuts_text && field.spec.precision && *field.spec.precision < width)
            field.spec.precision = width;
    }
}

std::vector<std::size_t> Table::order() const {
    std::vector<std::size_t> order(size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::vector<OutputFormat::SortKey>& by = format_.sort_keys();
    if (by.empty()) return order;
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
        for (std::size_t k = 0; k < by.size(); ++k) {
            const int sign = compare(keys_[a * by.size() + k], keys_[b * by.size() + k]);
            if (sign != 0) return by[k].descending ? sign > 0 : sign < 0;
        }
        return false;
    });
    return order;
}

std::string_view Table::piece(std::size_t index) const {
    const std::size_t begin = index == 0 ? 0 : piece_ends_[index - 1];
    return std::string_view{text_}.substr(begin, piece_ends_[index] - begin);
}

void Table::append_line(std::string& out, std::size_t row) const {
    const std::size_t first = row * (open_.size() + 1);
    out += piece(first);
    for (std::size_t i = 0; i < open_.size(); ++i) {
        const Field& field = format_.columns()[open_[i]];
        if (!field.dropped) {
            out += field.text;
            out += cell(field, open_values_[row * open_.size() + i]);
        }
        out += piece(first + i + 1);
    }
}

/// Cuts the line that begins at `begin`.
void Table::cut(std::string& out, std::size_t begin) const {
    const std::size_t width = options_.width.value_or(0);
    const std::string_view line = std::string_view{out}.substr(begin);
    if (width == 0 || text_width(line) <= width) return;
    out.resize(begin + text_prefix(line, width - 1).size());
    out += '+';
}

std::string Table::text() {
    settle_columns();
    std::string out;
    out.reserve(text_.size() + text_.size() / 4);
    if (options_.header) {
        out += format_.header();
        cut(out, 0);
        out += '\n';
    }
    for (const std::size_t row : order()) {
        const std::size_t start = out.size();
        out += colours_[row];
        const std::size_t begin = out.size();
        append_line(out, row);
        cut(out, begin);
        if (is_blank(std::string_view{out}.substr(begin)))
            out.resize(start);
        else
            out += colours_[row].empty() ? "\n" : "\033[0;0m\n";
    }
    return out;
}

}  // namespace sluice
