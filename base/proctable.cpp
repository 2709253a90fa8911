#include "base/proctable.hpp"

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace sluice {

namespace {

constexpr std::size_t numbers_max = std::size_t{1} << 20;  // more tasks than any job has
constexpr std::size_t suffix_digits_max = 18;

/// "node07" as "node0" and 7; -1 where there is no number at the end.
struct Name {
    std::string_view prefix;
    std::int64_t suffix = -1;
};

Name split_name(std::string_view name) {
    std::size_t begin = name.find_last_not_of("0123456789") + 1;  // npos + 1 is 0
    begin = std::max(begin, name.size() - std::min(name.size(), suffix_digits_max));
    while (begin + 1 < name.size() && name[begin] == '0') ++begin;
    Name split{name.substr(0, begin)};
    if (begin < name.size())
        std::from_chars(name.data() + begin, name.data() + name.size(), split.suffix);
    return split;
}

const Json& member(const JsonObject& table, std::string_view key) {
    static const Json missing;
    const Json* value = table.if_contains(key);
    return value ? *value : missing;
}

}  // namespace

JsonArray encode_rangelist(const std::vector<std::int64_t>& numbers) {
    JsonArray list;
    std::int64_t last = 0;
    for (std::size_t i = 0; i < numbers.size();) {
        const std::int64_t start = numbers[i] - last;
        last = numbers[i];
        const std::int64_t step = i + 1 < numbers.size() ? numbers[i + 1] - last : -1;
        std::int64_t more = 0;
        const bool foldable = step == 0 || step == 1;
        for (++i; foldable && i < numbers.size() && numbers[i] == last + step; ++i) {
            last += step;
            ++more;
        }
        if (more == 0)
            list.emplace_back(start);
        else
            list.emplace_back(JsonArray{start, step == 0 ? -more : more});
    }
    return list;
}

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
        const auto limit = static_cast<std::int64_t>(numbers_max - numbers.size());
        if (more >= limit || more <= -limit)
            return fail(EPROTO, "proctable: over {} tasks", numbers_max);
        constexpr auto number_max = std::int64_t{1} << 61;
        if (start > number_max || start < -number_max || last > number_max || last < -number_max)
            return fail(EPROTO, "proctable: a number is too large");
        last += start;
        numbers.push_back(last);
        for (std::int64_t i = 0; i < std::abs(more); ++i)
            numbers.push_back(more > 0 ? ++last : last);
    }
    return numbers;
}

JsonArray encode_names(const std::vector<std::string>& names) {
    JsonArray list;
    for (std::size_t i = 0; i < names.size();) {
        const std::string_view prefix = split_name(names[i]).prefix;
        std::vector<std::int64_t> suffixes;
        for (; i < names.size() && split_name(names[i]).prefix == prefix; ++i)
            suffixes.push_back(split_name(names[i]).suffix);
        list.emplace_back(JsonArray{prefix, encode_rangelist(suffixes)});
    }
    return list;
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
        if (suffixes.size() > numbers_max - names.size())
            return fail(EPROTO, "proctable: over {} names", numbers_max);
        for (const std::int64_t suffix : suffixes)
            names.push_back(suffix < 0 ? prefix : prefix + std::to_string(suffix));
    }
    return names;
}

JsonObject encode_proctable(const std::vector<TaskProcess>& tasks) {
    std::vector<std::string> hosts, executables;
    std::vector<std::int64_t> ids, pids, ranks;
    for (const TaskProcess& task : tasks) {
        hosts.push_back(task.host);
        executables.push_back(task.executable);
        ids.push_back(task.rank);
        pids.push_back(task.pid);
        ranks.push_back(task.broker_rank);
    }
    return {{"hosts", encode_names(hosts)},
            {"executables", encode_names(executables)},
            {"ids", encode_rangelist(ids)},
            {"pids", encode_rangelist(pids)},
            {"ranks", encode_rangelist(ranks)}};
}

Result<std::vector<TaskProcess>> decode_proctable(const JsonObject& table) {
    SLUICE_TRY(const auto hosts, decode_names(member(table, "hosts")));
    SLUICE_TRY(const auto executables, decode_names(member(table, "executables")));
    SLUICE_TRY(const auto ids, decode_rangelist(member(table, "ids")));
    SLUICE_TRY(const auto pids, decode_rangelist(member(table, "pids")));
    SLUICE_TRY(const auto ranks, decode_rangelist(member(table, "ranks")));
    for (const std::size_t size : {executables.size(), ids.size(), pids.size(), ranks.size()})
        if (size != hosts.size())
            return fail(EPROTO, "proctable: {} hosts, but {} entries in another list", hosts.size(),
                        size);
    std::vector<TaskProcess> tasks;
    for (std::size_t i = 0; i < hosts.size(); ++i)
        tasks.push_back({hosts[i], pids[i], ids[i], ranks[i], executables[i]});
    return tasks;
}

}  // namespace sluice
