#include "cmd/format/proctable.hpp"

namespace sluice {

namespace {

constexpr std::size_t numbers_max = 1 << 24;  // more tasks than any job has

const Json* member(const JsonObject& table, std::string_view key) {
    return table.if_contains(key);
}

}  // namespace

Result<std::vector<std::int64_t>> decode_rangelist(const Json& list) {
    if (!list.is_array()) return fail(EPROTO, "proctable: found no list of numbers");
    std::vector<std::int64_t> numbers;
    std::int64_t last = 0;
    for (const Json& element : list.get_array()) {
        std::int64_t start = 0;
        std::int64_t more = 0;
        if (element.is_array() && element.get_array().size() == 2) {
            const auto& pair = element.get_array();
            const auto first = as_integer(pair[0]);
            const auto count = as_integer(pair[1]);
            if (!first || !count) return fail(EPROTO, "proctable: bad range");
            start = *first;
            more = *count;
        } else if (const auto number = as_integer(element)) {
            start = *number;
        } else {
            return fail(EPROTO, "proctable: bad number");
        }
        const auto length = static_cast<std::size_t>(more < 0 ? -more : more) + 1;
        if (length > numbers_max - numbers.size()) return fail(EPROTO, "proctable: too long");
        last += start;
        numbers.push_back(last);
        for (std::size_t i = 1; i < length; ++i) numbers.push_back(more > 0 ? ++last : last);
    }
    return numbers;
}

Result<std::vector<std::string>> decode_names(const Json& list) {
    if (!list.is_array()) return fail(EPROTO, "proctable: found no list of names");
    std::vector<std::string> names;
    for (const Json& element : list.get_array()) {
        if (element.is_string()) {
            names.emplace_back(element.get_string());
            continue;
        }
        if (!element.is_array() || element.get_array().size() != 2 ||
            !element.get_array()[0].is_string())
            return fail(EPROTO, "proctable: bad name");
        const std::string prefix{element.get_array()[0].get_string()};
        SLUICE_TRY(const auto suffixes, decode_rangelist(element.get_array()[1]));
        for (const std::int64_t suffix : suffixes)
            names.push_back(suffix < 0 ? prefix : prefix + std::to_string(suffix));
    }
    return names;
}

Result<std::vector<TaskProcess>> decode_proctable(const JsonObject& table) {
    const Json* hosts = member(table, "hosts");
    const Json* pids = member(table, "pids");
    const Json* ids = member(table, "ids");
    if (!hosts || !pids || !ids) return fail(EPROTO, "proctable: lacks hosts, pids or ids");
    SLUICE_TRY(const auto host_names, decode_names(*hosts));
    SLUICE_TRY(const auto pid_list, decode_rangelist(*pids));
    SLUICE_TRY(const auto id_list, decode_rangelist(*ids));
    if (pid_list.size() != host_names.size() || id_list.size() != host_names.size())
        return fail(EPROTO, "proctable: {} hosts, {} pids, {} ids", host_names.size(),
                    pid_list.size(), id_list.size());
    std::vector<TaskProcess> tasks;
    for (std::size_t i = 0; i < host_names.size(); ++i)
        tasks.push_back({host_names[i], pid_list[i], id_list[i]});
    return tasks;
}

}  // namespace sluice
