#include "cmd/format/datetime.hpp"

#include <charconv>
#include <cmath>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include "base/rfc/fsd.hpp"

namespace sluice {

namespace {

constexpr std::string_view weekdays[] = {"sunday",   "monday", "tuesday", "wednesday",
                                         "thursday", "friday", "saturday"};
constexpr std::string_view months[] = {"january",   "february", "march",    "april",
                                       "may",       "june",     "july",     "august",
                                       "september", "october",  "november", "december"};
constexpr std::string_view numbers[] = {"zero", "one",   "two",   "three", "four", "five",
                                        "six",  "seven", "eight", "nine",  "ten"};

/// Words in lower case; commas and runs of blanks separate them.
std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words{""};
    for (const char c : text) {
        if (c == ' ' || c == ',' || c == '\t') {
            if (!words.back().empty()) words.emplace_back();
        } else {
            words.back() += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        }
    }
    if (words.back().empty()) words.pop_back();
    return words;
}

std::optional<int> integer(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || text.empty())
        return std::nullopt;
    return value;
}

/// Index of the name that `word` is or abbreviates with at least three letters.
template <std::size_t n>
std::optional<int> name_index(const std::string_view (&names)[n], std::string_view word) {
    if (word.ends_with('.')) word.remove_suffix(1);
    for (std::size_t i = 0; i < n; ++i)
        if (names[i] == word || (word.size() >= 3 && names[i].starts_with(word)))
            return static_cast<int>(i);
    return std::nullopt;
}

std::optional<double> quantity(std::string_view word) {
    if (word == "a" || word == "an") return 1;
    if (word == "half") return 0.5;
    for (std::size_t i = 0; i < std::size(numbers); ++i)
        if (numbers[i] == word) return static_cast<double>(i);
    if (const auto number = integer(word)) return *number;
    return std::nullopt;
}

/// The calendar side of a phrase, filled word by word.
class DatetimeReader {
  public:
    DatetimeReader(std::vector<std::string> words, double now) : words_(std::move(words)) {
        const auto whole = static_cast<std::time_t>(std::floor(now));
        localtime_r(&whole, &fields_);
    }

    std::optional<double> read() {
        if (words_.empty()) return std::nullopt;
        while (at_ < words_.size())
            if (!relative() && !day_word() && !date() && !month_day() && !clock() && !filler())
                return std::nullopt;
        fields_.tm_isdst = -1;
        const std::time_t time =
            utc_offset_ ? ::timegm(&fields_) - *utc_offset_ : std::mktime(&fields_);
        if (time < 0 || !meant_) return std::nullopt;
        return static_cast<double>(time);
    }

  private:
    std::string_view word(std::size_t ahead = 0) const {
        return at_ + ahead < words_.size() ? std::string_view{words_[at_ + ahead]} : "";
    }
    bool took(std::size_t n) {
        at_ += n;
        meant_ = true;
        return true;
    }
    bool filler() {
        if (word() != "at" && word() != "on" && word() != "the" && word() != "in") return false;
        ++at_;
        return true;
    }

    bool add(double count, std::string_view unit) {
        if (unit.size() > 1 && unit.ends_with('s') && unit != "hours") unit.remove_suffix(1);
        double seconds = 0;
        if (unit == "s" || unit == "sec" || unit == "second")
            seconds = 1;
        else if (unit == "m" || unit == "min" || unit == "minute")
            seconds = 60;
        else if (unit == "h" || unit == "hr" || unit == "hour" || unit == "hours")
            seconds = 3600;
        if (seconds > 0) {
            fields_.tm_sec += static_cast<int>(std::lround(count * seconds));
            return true;
        }
        const auto whole = static_cast<int>(std::lround(count));
        if (unit == "d" || unit == "day")
            fields_.tm_mday += whole;
        else if (unit == "w" || unit == "wk" || unit == "week")
            fields_.tm_mday += 7 * whole;
        else if (unit == "month")
            fields_.tm_mon += whole;
        else if (unit == "y" || unit == "yr" || unit == "year")
            fields_.tm_year += whole;
        else
            return false;
        return true;
    }

    /// "[in] 5 minutes [from now]", "2 days ago", "an hour".
    bool relative() {
        if (word() == "now") return took(1);
        std::size_t used = 0;
        auto count = quantity(word());
        if (!count) return false;
        if (*count == 0.5 && (word(1) == "a" || word(1) == "an")) ++used;
        const std::string_view unit = word(used + 1);
        const std::string_view end = word(used + 2);
        if (!add(end == "ago" ? -*count : *count, unit)) return false;
        used += 2;
        if (end == "ago")
            ++used;
        else if ((end == "from" && word(used + 1) == "now"))
            used += 2;
        return took(used);
    }

    void midnight() { fields_.tm_hour = fields_.tm_min = fields_.tm_sec = 0; }
    /// A day without a time of day begins at midnight.
    void begin_of_day() {
        if (!has_clock_) midnight();
    }

    /// "tomorrow", "monday", "next friday", "last week".
    bool day_word() {
        if (word() == "today" || word() == "tomorrow" || word() == "yesterday") {
            fields_.tm_mday += word() == "tomorrow" ? 1 : word() == "yesterday" ? -1 : 0;
            begin_of_day();
            return took(1);
        }
        const bool next = word() == "next";
        const bool last = word() == "last";
        const bool modified = next || last || word() == "this";
        if (modified && (next || last) && add(next ? 1 : -1, word(1))) return took(2);
        const auto weekday = name_index(weekdays, word(modified ? 1 : 0));
        if (!weekday) return false;
        int days = (*weekday - fields_.tm_wday + 7) % 7;
        if (last)
            days -= 7;
        else if (days == 0)
            days = 7;
        if (last && days == 0) days = -7;
        fields_.tm_mday += days;
        begin_of_day();
        return took(modified ? 2 : 1);
    }

    bool set_date(int year, int month, int day) {
        if (year < 1970 || month < 1 || month > 12 || day < 1 || day > 31) return false;
        fields_.tm_year = year - 1900;
        fields_.tm_mon = month - 1;
        fields_.tm_mday = day;
        return true;
    }

    /// Takes "z", "+02:00" or "+0200" off the end of a time of day. False when it is malformed.
    bool take_utc_offset(std::string_view& time) {
        const std::size_t at = time.find_first_of("z+-");
        if (at == time.npos) return true;
        const bool west = time[at] == '-';
        std::string digits{time.substr(at + 1)};
        if (time[at] == 'z' && !digits.empty()) return false;
        std::erase(digits, ':');
        const auto value = digits.empty() ? 0 : integer(digits);
        if (!value || (time[at] != 'z' && digits.size() != 4)) return false;
        const int seconds = (*value / 100 * 60 + *value % 100) * 60;
        utc_offset_ = west ? -seconds : seconds;
        time = time.substr(0, at);
        return true;
    }

    /// "2030-01-31", also with "T12:00[:00]" behind and "Z" or an offset; "1/31/2030", "1/31".
    bool date() {
        std::string_view text = word();
        const char separator = text.find('/') != text.npos ? '/' : '-';
        std::string_view time;
        if (const std::size_t t = text.find('t'); separator == '-' && t != text.npos) {
            time = text.substr(t + 1);
            text = text.substr(0, t);
        }
        std::vector<int> parts;
        while (!text.empty()) {
            const std::size_t end = text.find(separator);
            const auto part = integer(text.substr(0, end));
            if (!part) return false;
            parts.push_back(*part);
            text.remove_prefix(end == text.npos ? text.size() : end + 1);
        }
        bool good = false;
        if (separator == '-' && parts.size() == 3)
            good = set_date(parts[0], parts[1], parts[2]);
        else if (separator == '/' && parts.size() == 3)
            good = set_date(parts[2], parts[0], parts[1]);
        else if (separator == '/' && parts.size() == 2)
            good = set_date(fields_.tm_year + 1900, parts[0], parts[1]);
        if (!good || !take_utc_offset(time)) return false;
        return (time.empty() || set_clock(time, "")) && took(1);
    }

    /// "jan 5", "5 january 2030", "january 5th 2030".
    bool month_day() {
        const bool month_first = name_index(months, word()).has_value();
        const auto month = name_index(months, word(month_first ? 0 : 1));
        std::string_view day_text = word(month_first ? 1 : 0);
        for (const std::string_view ending : {"st", "nd", "rd", "th"})
            if (day_text.ends_with(ending)) {
                day_text.remove_suffix(2);
                break;
            }
        const auto day = integer(day_text);
        if (!month || !day) return false;
        const auto year = integer(word(2));
        const bool has_year = year && *year >= 1970;
        if (!set_date(has_year ? *year : fields_.tm_year + 1900, *month + 1, *day)) return false;
        return took(has_year ? 3 : 2);
    }

    /// "3pm", "3 pm", "15:30", "3:30:15am", "noon", "midnight".
    bool clock() {
        if (word() == "noon" || word() == "midnight") {
            midnight();
            has_clock_ = true;
            if (word() == "noon") fields_.tm_hour = 12;
            return took(1);
        }
        std::string_view text = word();
        std::string_view half;
        if (text.ends_with("am") || text.ends_with("pm")) {
            half = text.substr(text.size() - 2);
            text.remove_suffix(2);
        } else if (word(1) == "am" || word(1) == "pm") {
            half = word(1);
        } else if (text.find(':') == text.npos) {
            return false;
        }
        const bool two_words = !half.empty() && half == word(1);
        return set_clock(text, half) && took(two_words ? 2 : 1);
    }

    bool set_clock(std::string_view text, std::string_view half) {
        int parts[3] = {0, 0, 0};
        std::size_t n = 0;
        if (const std::size_t fraction = text.find('.'); fraction != text.npos)
            text = text.substr(0, fraction);
        while (!text.empty() && n < 3) {
            const std::size_t end = text.find(':');
            const auto part = integer(text.substr(0, end));
            if (!part || *part < 0 || *part > 59) return false;
            parts[n++] = *part;
            text.remove_prefix(end == text.npos ? text.size() : end + 1);
        }
        if (n == 0 || !text.empty() || parts[0] > (half.empty() ? 23 : 12)) return false;
        if (!half.empty()) parts[0] = parts[0] % 12 + (half == "pm" ? 12 : 0);
        fields_.tm_hour = parts[0];
        fields_.tm_min = parts[1];
        fields_.tm_sec = parts[2];
        has_clock_ = true;
        return true;
    }

    std::vector<std::string> words_;
    std::size_t at_ = 0;
    std::tm fields_{};
    std::optional<int> utc_offset_;  // seconds east, when the phrase names one
    bool has_clock_ = false;
    bool meant_ = false;  // at least one word said something about time
};

}  // namespace

Result<double> parse_datetime(std::string_view text, double now) {
    if (text == "now") return now;
    if (text.starts_with('+') || text.starts_with('-')) {
        const auto seconds = fsd_parse(text.substr(1));
        if (seconds && std::isfinite(*seconds))
            return text.front() == '+' ? now + *seconds : now - *seconds;
    } else if (const auto time = DatetimeReader{words_of(text), now}.read()) {
        return *time;
    }
    return fail(EINVAL, "Invalid datetime: \"{}\"", text);
}

}  // namespace sluice
