#include "broker/cron/calendar.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <ctime>
#include <string>
#include <vector>

#include "base/rfc/idset.hpp"

namespace sluice {
namespace {

constexpr int first_year = 2000, last_year = 2100;
constexpr int clients_year = 1900;  // clients count years from here, as struct tm does

struct FieldRow {
    std::string_view name;
    int low, high;
    std::vector<std::string_view> names;  // of the values from `low` on
};

const std::array<FieldRow, CronCalendar::fields>& rows() {
    static const std::array<FieldRow, CronCalendar::fields> table{{
        {"second", 0, 59, {}},
        {"minute", 0, 59, {}},
        {"hour", 0, 23, {}},
        {"mday", 1, 31, {}},
        {"month", 0, 11, {"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct",
                          "nov", "dec"}},
        {"year", first_year, last_year, {}},
        {"weekday", 0, 6, {"sun", "mon", "tue", "wed", "thu", "fri", "sat"}},
    }};
    return table;
}

Error bad_value(const FieldRow& row, std::string_view text) {
    return fail(EINVAL, "cron: {}: '{}' is not *, a number from {} to {}, a range or a step",
                row.name, text, row.low, row.high);
}

Result<int> number(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || text.empty())
        return Error{EINVAL};
    return value;
}

/// A number of the field, or one of its names by the first three letters.
Result<int> field_value(const FieldRow& row, std::string_view text) {
    std::string lower;
    for (const unsigned char c : text) lower += static_cast<char>(std::tolower(c));
    for (std::size_t i = 0; i < row.names.size(); ++i)
        if (lower.size() >= row.names[i].size() && lower.starts_with(row.names[i]))
            return row.low + static_cast<int>(i);
    auto value = number(text);
    if (value && row.low == first_year && *value < clients_year) value = *value + clients_year;
    if (!value || *value < row.low || *value > row.high) return bad_value(row, text);
    return *value;
}

/// "A", "A-B", "*", each with "/STEP".
Result<void> add_part(const FieldRow& row, std::string_view part, std::set<int>& values) {
    const std::string_view whole = part;
    int step = 1;
    if (const auto slash = part.find('/'); slash != std::string_view::npos) {
        const auto given = number(part.substr(slash + 1));
        if (!given || *given < 1) return bad_value(row, whole);
        step = *given;
        part = part.substr(0, slash);
    }
    int low = row.low, high = row.high;
    if (part != "*") {
        const auto dash = part.find('-');
        SLUICE_TRY(low, field_value(row, part.substr(0, dash)));
        high = low;
        if (dash != std::string_view::npos) {
            SLUICE_TRY(high, field_value(row, part.substr(dash + 1)));
        }
    }
    if (high < low) return bad_value(row, whole);
    for (int value = low; value <= high; value += step) values.insert(value);
    return {};
}

Result<std::set<int>> parse_field(const FieldRow& row, std::string_view text) {
    std::set<int> values;
    while (true) {
        const auto comma = text.find(',');
        SLUICE_CHECK(add_part(row, text.substr(0, comma), values));
        if (comma == std::string_view::npos) return values;
        text.remove_prefix(comma + 1);
    }
}

tm local(std::time_t time) {
    tm parts{};
    ::localtime_r(&time, &parts);
    return parts;
}

/// Sets the fields below hour, day or month to their first value.
void restart_below(tm& time, bool hours, bool days) {
    time.tm_sec = time.tm_min = 0;
    if (hours) time.tm_hour = 0;
    if (days) time.tm_mday = 1;
}

}  // namespace

Result<CronCalendar> CronCalendar::from_json(const JsonObject& object) {
    CronCalendar calendar;
    for (std::size_t i = 0; i < fields; ++i) {
        const FieldRow& row = rows()[i];
        const Json* value = object.if_contains(row.name);
        std::string text = i == second ? "0" : "*";
        if (value && value->is_string()) text = value->as_string();
        else if (value && as_integer(*value)) text = std::to_string(*as_integer(*value));
        else if (value) return bad_value(row, dump_json(*value));
        SLUICE_TRY(calendar.values_[i], parse_field(row, text));
    }
    return calendar;
}

JsonObject CronCalendar::to_json() const {
    JsonObject object;
    for (std::size_t i = 0; i < fields; ++i) {
        Idset set;
        for (const int value : values_[i]) set.insert(static_cast<std::uint32_t>(value));
        object[rows()[i].name] = set.to_string();
    }
    return object;
}

std::optional<double> CronCalendar::next(double time) const {
    std::time_t moment = static_cast<std::time_t>(std::floor(time)) + 1;
    for (tm parts = local(moment); parts.tm_year + 1900 <= last_year; parts = local(moment)) {
        tm later = parts;
        later.tm_isdst = -1;
        if (!has(year, parts.tm_year + 1900) || !has(month, parts.tm_mon)) {
            restart_below(later, true, true);
            ++later.tm_mon;
        } else if (!has(mday, parts.tm_mday) || !has(weekday, parts.tm_wday)) {
            restart_below(later, true, false);
            ++later.tm_mday;
        } else if (!has(hour, parts.tm_hour)) {
            restart_below(later, false, false);
            ++later.tm_hour;
        } else if (!has(minute, parts.tm_min)) {
            later.tm_sec = 0;
            ++later.tm_min;
        } else if (!has(second, parts.tm_sec)) {
            ++later.tm_sec;
        } else {
            return static_cast<double>(moment);
        }
        // An hour that daylight saving skips or repeats must not stop the search.
        moment = std::max(std::mktime(&later), moment + 1);
    }
    return std::nullopt;
}

}  // namespace sluice
