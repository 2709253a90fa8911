#include "cmd/options/rlimit.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "cmd/options/pattern.hpp"

namespace sluice {
namespace {

struct KnownLimit {
    std::string_view name;
    __rlimit_resource resource;
    bool by_default;  // passed on without being asked for
};
constexpr KnownLimit known_limits[] = {
    {"cpu", RLIMIT_CPU, true},        {"fsize", RLIMIT_FSIZE, true},
    {"data", RLIMIT_DATA, true},      {"stack", RLIMIT_STACK, true},
    {"core", RLIMIT_CORE, true},      {"nofile", RLIMIT_NOFILE, true},
    {"as", RLIMIT_AS, true},          {"rss", RLIMIT_RSS, true},
    {"nproc", RLIMIT_NPROC, true},    {"memlock", RLIMIT_MEMLOCK, false},
    {"ofile", RLIMIT_OFILE, false},   {"msgqueue", RLIMIT_MSGQUEUE, false},
    {"nice", RLIMIT_NICE, false},     {"rtprio", RLIMIT_RTPRIO, false},
    {"rttime", RLIMIT_RTTIME, false}, {"sigpending", RLIMIT_SIGPENDING, false},
};

bool passed_by_default(std::string_view name) {
    return std::ranges::any_of(known_limits, [&](const KnownLimit& limit) {
        return limit.name == name && limit.by_default;
    });
}

std::string lower_case(std::string_view text) {
    std::string out{text};
    for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

Result<void> remove_limits(JsonObject& limits, std::string_view pattern) {
    SLUICE_TRY(const NameMatcher matches, name_matcher(lower_case(pattern)));
    JsonObject kept;
    for (const auto& [name, value] : limits)
        if (!matches(std::string{name})) kept[name] = value;
    limits = std::move(kept);
    return {};
}

Result<void> set_limit(JsonObject& limits, const LimitList& current, std::string_view rule) {
    const std::size_t equals = rule.find('=');
    const std::string name = lower_case(rule.substr(0, equals));
    const std::string value = lower_case(rule.substr(equals + 1));
    if (std::ranges::none_of(current, [&](const auto& known) { return known.first == name; }))
        return fail(EINVAL, "Invalid rlimit \"{}\"", rule.substr(0, equals));
    std::int64_t number = -1;
    if (value != "unlimited" && value != "infinity" && value != "inf") {
        const char* end = value.data() + value.size();
        const auto parsed = std::from_chars(value.data(), end, number);
        if (parsed.ec != std::errc{} || parsed.ptr != end)
            return fail(EINVAL, "Invalid value in {}", rule);
    }
    limits[name] = number;
    return {};
}

Result<void> import_limits(JsonObject& limits, const LimitList& current, std::string_view rule) {
    SLUICE_TRY(const NameMatcher matches, name_matcher(lower_case(rule)));
    bool any = false;
    for (const auto& [name, value] : current) {
        if (!matches(std::string{name})) continue;
        limits[name] = value;
        any = true;
    }
    if (!any) return fail(EINVAL, "No corresponding rlimit matching \"{}\"", rule);
    return {};
}

Result<void> apply_rule(JsonObject& limits, const LimitList& current, std::string_view rule) {
    if (rule.starts_with('-')) return remove_limits(limits, rule.substr(1));
    if (rule.find('=') != std::string_view::npos) return set_limit(limits, current, rule);
    return import_limits(limits, current, rule);
}

}  // namespace

LimitList current_limits() {
    LimitList limits;
    for (const KnownLimit& known : known_limits) {
        struct rlimit value {};
        if (::getrlimit(known.resource, &value) < 0) continue;
        const bool unlimited = value.rlim_cur == RLIM_INFINITY;
        limits.emplace_back(known.name, unlimited ? -1 : static_cast<std::int64_t>(value.rlim_cur));
    }
    return limits;
}

Result<JsonObject> build_rlimits(const LimitList& current, const std::vector<std::string>& rules) {
    JsonObject limits;
    for (const auto& [name, value] : current)
        if (passed_by_default(name)) limits[name] = value;
    for (std::string_view list : rules) {
        while (!list.empty()) {
            const std::size_t comma = std::min(list.find(','), list.size());
            SLUICE_CHECK(apply_rule(limits, current, list.substr(0, comma)));
            list.remove_prefix(std::min(comma + 1, list.size()));
        }
    }
    return limits;
}

}  // namespace sluice
