#include "cmd/cron/cron_requests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "base/rfc/fsd.hpp"
#include "base/words.hpp"

namespace sluice {
namespace {

constexpr std::string_view crontab_fields[] = {"minute", "hour", "mday", "month", "weekday"};

/// "1-12" as cron.create counts months, from 0; names and "*" as they are.
Result<std::string> months_from_zero(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t end = std::min(text.find_first_not_of("0123456789", i), text.size());
        const bool step = i > 0 && text[i - 1] == '/';
        if (end == i || step) {
            out += text.substr(i, std::max<std::size_t>(end - i, 1));
            i = std::max(end, i + 1);
            continue;
        }
        const int month = end - i > 2 ? 0 : std::atoi(std::string(text.substr(i, end - i)).c_str());
        if (month < 1 || month > 12)
            return fail(EINVAL, "month '{}': use 1 to 12 or names", text);
        out += std::to_string(month - 1);
        i = end;
    }
    return out;
}

std::string last_task_state(const JsonObject& entry) {
    const Json* tasks = entry.if_contains("tasks");
    if (!tasks || !tasks->is_array() || tasks->get_array().empty()) return "None";
    const Json& task = tasks->get_array().front();
    if (!task.is_object()) return "None";
    JsonReader in{task.get_object()};
    const std::string state = in.string_or("state", "None");
    const std::int64_t code = in.integer_or("code", 0);
    return code == 0 ? state : fmt::format("{} (rc={})", state, code);
}

void dump_members(const JsonObject& object, const std::string& prefix, std::string& out) {
    for (const auto& member : object) {
        const std::string key = prefix + std::string(std::string_view{member.key()});
        if (member.value().is_object()) {
            dump_members(member.value().get_object(), key + ".", out);
        } else if (member.value().is_array()) {
            std::size_t number = 1;
            for (const Json& item : member.value().get_array()) {
                const std::string path = fmt::format("{}.{}", key, number++);
                if (item.is_object())
                    dump_members(item.get_object(), path + ".", out);
                else
                    out += fmt::format("{} = {}\n", path, dump_json(item));
            }
        } else {
            out += fmt::format("{} = {}\n", key, dump_json(member.value()));
        }
    }
}

}  // namespace

Result<CrontabLine> parse_crontab_line(std::string_view line) {
    CrontabLine parsed;
    std::string_view rest = line.substr(0, line.find('#'));
    const auto next_word = [&rest] {
        const std::size_t begin = std::min(rest.find_first_not_of(" \t\r"), rest.size());
        const std::size_t end = std::min(rest.find_first_of(" \t\r", begin), rest.size());
        const std::string_view word = rest.substr(begin, end - begin);
        rest.remove_prefix(end);
        return word;
    };
    for (const std::string_view field : crontab_fields) {
        const std::string_view word = next_word();
        if (word.empty() && parsed.fields.empty()) return parsed;
        if (word.empty()) break;
        if (field == "month") {
            const auto months = months_from_zero(word);
            if (!months) return months.error().in(fmt::format("crontab line '{}'", line));
            parsed.fields[field] = *months;
        } else {
            parsed.fields[field] = field == "weekday" && word == "7" ? "0" : word;
        }
    }
    const std::size_t begin = std::min(rest.find_first_not_of(" \t"), rest.size());
    const std::size_t end = rest.find_last_not_of(" \t\r");
    if (begin < rest.size() && end != rest.npos)
        parsed.command = rest.substr(begin, end + 1 - begin);
    if (parsed.command.empty())
        return fail(EINVAL, "crontab line '{}': want five fields and a command", line);
    return parsed;
}

JsonObject calendar_of(double time) {
    const auto seconds = static_cast<std::time_t>(std::floor(time));
    std::tm local{};
    ::localtime_r(&seconds, &local);
    return {{"second", local.tm_sec}, {"minute", local.tm_min}, {"hour", local.tm_hour},
            {"mday", local.tm_mday},  {"month", local.tm_mon},  {"year", local.tm_year}};
}

Result<void> add_cron_options(std::string_view text, JsonObject& request) {
    constexpr std::string_view known[] = {"timeout", "rank", "task-history-count",
                                          "stop-on-failure"};
    for (const std::string& item : split_words(text, ',')) {
        const std::size_t equals = item.find('=');
        const std::string key = item.substr(0, equals);
        if (std::ranges::find(known, key) == std::end(known))
            return fail(EINVAL, "invalid option '{}': use {}", key, fmt::join(known, ", "));
        const std::string value = equals == item.npos ? "" : item.substr(equals + 1);
        const auto seconds = fsd_parse(value);
        const auto number = parse_json(value);
        if (key == "timeout" && seconds)
            request[key] = *seconds;
        else if (key != "timeout" && number && number->is_int64())
            request[key] = *number;
        else
            return fail(EINVAL, "invalid value '{}' of {}", value, key);
    }
    return {};
}

std::string cron_heading() {
    return fmt::format("{:>6} {:<15} {:<8} {:>9} {:>18}  {:<18}\n", "ID", "CMD/NAME", "STATE",
                       "#RUNS", "LASTRUN", "STATUS");
}

std::string cron_line(const JsonObject& entry, double now) {
    JsonReader in{entry};
    JsonReader stats{in.object("stats")};
    const std::int64_t repeat = in.integer_or("repeat", 0);
    std::string runs = std::to_string(stats.integer_or("count", 0));
    if (repeat > 0) runs += fmt::format("/{}", repeat);
    const double last = stats.number_or("lastrun", 0);
    const std::string ago = last > 0 ? fsd_format(std::max(0.0, now - last)) + " ago" : "None";
    return fmt::format("{:>6} {:<15.15} {:<8} {:>9} {:>18}  {:<18}\n", in.integer_or("id", 0),
                       in.string_or("name", ""),
                       in.boolean_or("stopped", false) ? "Stopped" : "Active", runs, ago,
                       last_task_state(entry));
}

std::string cron_dump(const JsonObject& entry) {
    std::string out;
    dump_members(entry, "", out);
    return out;
}

}  // namespace sluice
