#include "cmd/options/bulk_inputs.hpp"

#include <algorithm>
#include <charconv>

namespace sluice {
namespace {

bool is_separator(std::string_view word) {
    return word == ":::" || word == "::::" || word == ":::+" || word == "::::+";
}

/// Lists of equal length that go together; each is one column of the tuples.
struct LinkedLists {
    std::vector<std::vector<std::string>> columns;
    std::size_t rows() const {
        std::size_t most = 0;
        for (const auto& column : columns) most = std::max(most, column.size());
        return most;
    }
    bool any_empty() const {
        return std::ranges::any_of(columns, [](const auto& column) { return column.empty(); });
    }
};

/// Every row of each group with every row of the others; the first group varies slowest.
std::vector<InputTuple> combine(const std::vector<LinkedLists>& groups) {
    std::vector<InputTuple> tuples(1);
    for (const LinkedLists& group : groups) {
        std::vector<InputTuple> longer;
        const std::size_t rows = group.any_empty() ? 0 : group.rows();
        for (const InputTuple& tuple : tuples) {
            for (std::size_t row = 0; row < rows; ++row) {
                InputTuple next = tuple;
                for (const auto& column : group.columns)
                    next.push_back(column[row % column.size()]);
                longer.push_back(std::move(next));
            }
        }
        tuples = std::move(longer);
    }
    return tuples;
}

}  // namespace

std::vector<std::string> split_items(std::string_view content, std::string_view separator) {
    std::vector<std::string> items;
    const bool blanks = separator == "none" || separator == "None";
    while (!content.empty()) {
        std::size_t end = blanks ? content.find_first_of(" \t\n\r") : content.find(separator);
        end = std::min(end, content.size());
        std::string item{content.substr(0, end)};
        while (item.ends_with('\n')) item.pop_back();
        if (!item.empty()) items.push_back(std::move(item));
        const std::size_t skip = blanks ? 1 : std::max<std::size_t>(separator.size(), 1);
        content.remove_prefix(std::min(end + skip, content.size()));
    }
    return items;
}

Result<BulkLine> parse_bulk_line(const std::vector<std::string>& words, const ItemReader& read) {
    BulkLine line;
    std::vector<LinkedLists> groups;
    std::size_t at = 0;
    while (at < words.size() && !is_separator(words[at])) line.command.push_back(words[at++]);
    while (at < words.size()) {
        const std::string& separator = words[at++];
        std::vector<std::string> items;
        while (at < words.size() && !is_separator(words[at])) items.push_back(words[at++]);
        if (separator.starts_with("::::")) {
            if (items.size() > 1)
                return fail(EINVAL, "Multiple args not allowed after {}", separator);
            if (items.empty()) return fail(EINVAL, "a file is needed after {}", separator);
            SLUICE_TRY(items, read(items[0]));
        }
        if (!separator.ends_with('+') || groups.empty()) groups.emplace_back();
        groups.back().columns.push_back(std::move(items));
    }
    if (groups.empty()) {
        groups.emplace_back().columns.emplace_back();
        SLUICE_TRY(groups.back().columns[0], read("-"));
    }
    if (line.command.empty()) line.command = {"{}"};
    line.tuples = combine(groups);
    return line;
}

LookupMaker input_lookups(const InputTuple& tuple, std::size_t sequence,
                          const DefinedValues& defined) {
    return [&tuple, sequence, &defined]() -> FieldLookup {
        return [&tuple, sequence, &defined, unnumbered = std::size_t{0}](
                   std::string_view field) mutable -> std::optional<std::string> {
            if (field == "seq") return std::to_string(sequence);
            if (field == "seq1") return std::to_string(sequence + 1);
            if (field == "cc") return "{cc}";
            const std::size_t dot = std::min(field.find('.'), field.size());
            const std::string_view number = field.substr(0, dot);
            const std::string_view op = field.substr(std::min(dot + 1, field.size()));
            std::size_t index = 0;
            if (number.empty()) {
                index = unnumbered++;
            } else {
                const char* end = number.data() + number.size();
                const auto parsed = std::from_chars(number.data(), end, index);
                if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
            }
            if (index >= tuple.size()) return std::nullopt;
            if (const auto found = defined.find(op); found != defined.end())
                return found->second.at(tuple[index]);
            return path_operator(tuple[index], op);
        };
    };
}

}  // namespace sluice
