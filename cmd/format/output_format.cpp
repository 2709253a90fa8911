#include "cmd/format/output_format.hpp"

#include <algorithm>

#include "base/words.hpp"
#include "cmd/format/conversion.hpp"

namespace sluice {

namespace {

using Field = OutputFormat::Field;

/// Splits a format into fields and literal text.
class FormatParser {
  public:
    FormatParser(std::string_view format, const HeadingOf& heading_of)
        : rest_(format), heading_of_(heading_of) {}

    Result<std::vector<Field>> fields() {
        std::vector<Field> out;
        while (!rest_.empty()) {
            const char c = rest_.front();
            if (rest_.starts_with("{{") || rest_.starts_with("}}")) {
                literal_ += c;
                rest_.remove_prefix(2);
            } else if (c == '}') {
                return fail(EINVAL, "Single '}}' encountered in format string");
            } else if (c == '{') {
                SLUICE_TRY(Field field, next_field());
                out.push_back(std::move(field));
            } else {
                literal_ += c;
                rest_.remove_prefix(1);
            }
        }
        return out;
    }
    std::string take_literal() { return std::exchange(literal_, {}); }

  private:
    Result<Field> next_field() {
        const std::size_t end = rest_.find('}');
        if (end == rest_.npos) return fail(EINVAL, "expected '}}' before end of string");
        std::string_view inside = rest_.substr(1, end - 1);
        rest_.remove_prefix(end + 1);
        Field field;
        take_prefix(field);
        const std::size_t stop = inside.find_first_of("!:");
        field.name = inside.substr(0, stop);
        inside.remove_prefix(std::min(stop, inside.size()));
        auto heading = heading_of_(field.name);
        if (!heading) return fail(EINVAL, "Unknown format field: {}", field.name);
        field.heading = *heading;
        if (inside.starts_with('!')) {
            if (inside.size() < 2 || !known_conversion(inside[1]) ||
                (inside.size() > 2 && inside[2] != ':'))
                return fail(EINVAL, "Unknown conversion specifier '{}'", inside.substr(1));
            field.conversion = inside[1];
            inside.remove_prefix(2);
        }
        if (inside.starts_with(':')) inside.remove_prefix(1);
        SLUICE_CHECK(read_spec(inside, field));
        return field;
    }

    /// The column prefix is the end of the literal text in front of the field.
    void take_prefix(Field& field) {
        const auto take = [&](std::string_view mark) {
            if (!literal_.ends_with(mark)) return false;
            literal_.resize(literal_.size() - mark.size());
            return true;
        };
        if (take("?+:"))
            field.collapse = field.expand = true;
        else if (take("?:"))
            field.collapse = true;
        else if (take("+:"))
            field.expand = true;
        field.text = take_literal();
    }

    static Result<void> read_spec(std::string_view text, Field& field) {
        if (field.conversion == 'd') {
            const std::size_t split = text.find("::");
            field.time_format = text.substr(0, split);
            text = split == text.npos ? std::string_view{} : text.substr(split + 2);
        }
        const std::string_view whole = text;
        if (text.ends_with('+')) {
            field.mark_cut = true;
            text.remove_suffix(1);
        }
        if (text.ends_with('h')) {
            field.dash = true;
            text.remove_suffix(1);
        }
        const auto spec = parse_format_spec(text);
        if (!spec) return fail(EINVAL, "Invalid format specifier '{}'", whole);
        field.spec = *spec;
        return {};
    }

    std::string_view rest_;
    const HeadingOf& heading_of_;
    std::string literal_;
};

}  // namespace

FieldValue value_of(const Field& field, const FieldsOfRow& values) {
    return convert(field.conversion, field.time_format, values(field.name));
}

FieldValue shown(const Field& field, const FieldValue& value) {
    return field.dash && is_empty_value(value) ? FieldValue{"-"} : value;
}

std::string cell(const Field& field, const FieldValue& value) {
    if (field.dash && is_empty_value(value)) return format_value(field.spec, "-");
    std::string text = format_value(field.spec, value);
    if (field.mark_cut && text_width(plain_text(value)) > text_width(text) && !text.empty())
        text = std::string(text_prefix(text, text_width(text) - 1)) + "+";
    return text;
}

SortValue sort_value(const FieldValue& value) {
    std::string text = plain_text(value);
    if (text.empty() || text == "-") return {};
    if (const auto number = numeric(value)) return {SortValue::number, *number, {}};
    return {SortValue::text, 0, std::move(text)};
}

int compare(const SortValue& a, const SortValue& b) {
    if (a.kind != b.kind) return a.kind < b.kind ? -1 : 1;
    if (a.kind == SortValue::number) return a.value < b.value ? -1 : a.value > b.value;
    return a.words.compare(b.words);
}

Result<OutputFormat> OutputFormat::parse(std::string_view format, const HeadingOf& heading_of) {
    OutputFormat out;
    if (format.starts_with("sort:")) {
        format.remove_prefix(5);
        const std::size_t end = std::min(format.find_first_of(" {"), format.size());
        SLUICE_CHECK(out.sort_by(format.substr(0, end), heading_of));
        format.remove_prefix(end);
        if (format.starts_with(' ')) format.remove_prefix(1);
    }
    FormatParser parser{format, heading_of};
    SLUICE_TRY(out.fields_, parser.fields());
    out.tail_ = parser.take_literal();
    return out;
}

Result<void> OutputFormat::sort_by(std::string_view keys, const HeadingOf& heading_of) {
    std::vector<SortKey> parsed;
    for (const std::string& word : split_words(keys)) {
        SortKey key{word, false};
        if (word.starts_with('-')) key = {word.substr(1), true};
        if (!heading_of(key.name)) return fail(EINVAL, "Invalid sort key: {}", key.name);
        parsed.push_back(std::move(key));
    }
    sort_keys_ = std::move(parsed);
    return {};
}

void OutputFormat::sort_instead(std::string_view name, std::string_view by) {
    for (SortKey& key : sort_keys_)
        if (key.name == name) key.name = by;
}

std::vector<std::string> OutputFormat::fields() const {
    std::vector<std::string> names;
    const auto add = [&](const std::string& name) {
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    };
    for (const Field& field : fields_) add(field.name);
    for (const SortKey& key : sort_keys_) add(key.name);
    return names;
}

std::string OutputFormat::header() const {
    std::string line;
    for (const Field& field : fields_) {
        if (field.dropped) continue;
        FormatSpec spec;
        spec.align = field.spec.align == '=' ? '\0' : field.spec.align;
        spec.width = field.spec.width;
        line += field.text + format_value(spec, field.heading);
    }
    return line + tail_;
}

std::string OutputFormat::row(const FieldsOfRow& values) const {
    std::string line;
    for (const Field& field : fields_) line += field.text + cell(field, value_of(field, values));
    return line + tail_;
}

}  // namespace sluice
