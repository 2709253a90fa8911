#include "broker/jobs/script_config.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <regex>

#include "base/rfc/fsd.hpp"

namespace sluice {
namespace {

constexpr std::string_view perilog_keys[] = {"command",      "timeout",
                                             "kill-timeout", "per-rank",
                                             "cancel-on-exception", "exit-on-first-error"};
constexpr std::string_view housekeeping_keys[] = {"command", "release-after", "use-systemd-unit",
                                                  "exit-on-first-error"};

template <std::size_t size>
Result<void> check_keys(const JsonObject& table, const std::string_view (&known)[size]) {
    for (const auto& [key, value] : table)
        if (std::ranges::find(known, std::string_view{key}) == std::end(known))
            return fail(EINVAL, "1 object item(s) left unpacked: {}: unknown key",
                        std::string_view{key});
    return {};
}

Result<bool> boolean_of(const JsonObject& table, std::string_view key, bool fallback) {
    const Json* value = table.if_contains(key);
    if (!value) return fallback;
    if (value->is_bool()) return value->as_bool();
    return fail(EINVAL, "{}: found {}, want true or false", key, dump_json(*value));
}

/// The command, or `IMP run NAME`; nullopt when neither is set.
Result<std::optional<std::vector<std::string>>> command_of(const JsonObject& table,
                                                           const JsonObject& config,
                                                           std::string_view name) {
    std::vector<std::string> words;
    const Json* command = table.if_contains("command");
    if (!command) {
        const Json* imp = find_path(config, "exec.imp");
        if (!imp || !imp->is_string()) return std::optional<std::vector<std::string>>{};
        return std::optional{
            std::vector<std::string>{std::string{imp->as_string()}, "run", std::string{name}}};
    }
    if (!command->is_array())
        return fail(EINVAL, "command must be an array of strings, found {}", dump_json(*command));
    for (const Json& word : command->as_array()) {
        if (!word.is_string())
            return fail(EINVAL, "malformed {} command: want strings, found {}", name,
                        dump_json(word));
        words.emplace_back(word.as_string());
    }
    if (words.empty()) return fail(EINVAL, "malformed {} command: it has no word", name);
    return std::optional{std::move(words)};
}

Result<PerilogConfig> perilog_of(const JsonObject& config, const Json& value,
                                 std::string_view name, bool is_prolog) {
    if (!value.is_object()) return fail(EINVAL, "want a table");
    const JsonObject& table = value.as_object();
    SLUICE_CHECK(check_keys(table, perilog_keys));
    PerilogConfig script;
    SLUICE_TRY(auto command, command_of(table, config, name));
    if (!command) return fail(EINVAL, "no command specified and exec.imp not defined");
    script.command = *std::move(command);
    SLUICE_TRY(script.per_rank, boolean_of(table, "per-rank", false));
    SLUICE_TRY(script.cancel_on_exception, boolean_of(table, "cancel-on-exception", is_prolog));
    SLUICE_CHECK(boolean_of(table, "exit-on-first-error", false));
    script.timeout = is_prolog ? 30 * 60 : 0;
    if (const Json* timeout = table.if_contains("timeout")) {
        const auto seconds = timeout->is_string()
                                 ? fsd_parse(std::string_view{timeout->as_string()})
                                 : Result<double>{Error{EINVAL}};
        if (!seconds)
            return fail(EINVAL, "invalid {} timeout: found {}, want a duration such as \"5m\"",
                        name, dump_json(*timeout));
        script.timeout = std::isinf(*seconds) ? 0 : *seconds;
    }
    if (const Json* seconds = table.if_contains("kill-timeout")) {
        const auto number = as_number(*seconds);
        if (!number || *number < 0)
            return fail(EINVAL, "kill-timeout: found {}, want a number of seconds",
                        dump_json(*seconds));
        script.kill_timeout = *number;
    }
    return script;
}

Result<HousekeepingConfig> housekeeping_of(const JsonObject& config, const Json& value) {
    if (!value.is_object()) return fail(EINVAL, "want a table");
    const JsonObject& table = value.as_object();
    SLUICE_CHECK(check_keys(table, housekeeping_keys));
    HousekeepingConfig housekeeping;
    SLUICE_CHECK(boolean_of(table, "exit-on-first-error", false));
    SLUICE_TRY(const bool unit, boolean_of(table, "use-systemd-unit", false));
    if (unit)
        housekeeping.warnings.push_back(
            "job-manager.housekeeping.use-systemd-unit is deprecated - ignoring");
    if (const Json* after = table.if_contains("release-after")) {
        const auto seconds = after->is_string() ? fsd_parse(std::string_view{after->as_string()})
                                                : Result<double>{Error{EINVAL}};
        if (!seconds)
            return fail(EINVAL,
                        "release-after FSD parse error: found {}, want a duration such as \"1m\"",
                        dump_json(*after));
        housekeeping.release_after = std::isinf(*seconds) ? -1 : *seconds;
    }
    SLUICE_TRY(auto command, command_of(table, config, "housekeeping"));
    if (!command)
        return fail(EINVAL, "no command implies the IMP but exec.imp is undefined");
    housekeeping.command = *std::move(command);
    return housekeeping;
}

Result<LogFilter> filter_of(const Json& value) {
    if (!value.is_object()) return fail(EINVAL, "want a table");
    const Json* list = value.as_object().if_contains("log-ignore");
    if (!list) return LogFilter{};
    if (!list->is_array()) return fail(EINVAL, "error parsing log-ignore: not an array");
    std::vector<std::string> patterns;
    for (const Json& pattern : list->as_array()) {
        if (!pattern.is_string())
            return fail(EINVAL, "error parsing log-ignore: all entries must be a string value");
        patterns.emplace_back(pattern.as_string());
    }
    auto filter = LogFilter::from(patterns);
    return filter ? filter : Result<LogFilter>{filter.error().in("error parsing log-ignore")};
}

}  // namespace

struct LogFilter::Patterns {
    std::vector<std::regex> list;
};

LogFilter::LogFilter() : patterns_(std::make_shared<const Patterns>()) {}

Result<LogFilter> LogFilter::from(const std::vector<std::string>& patterns) {
    auto compiled = std::make_shared<Patterns>();
    for (const std::string& pattern : patterns) {
        try {
            compiled->list.emplace_back(pattern, std::regex::extended | std::regex::nosubs);
        } catch (const std::regex_error& error) {  // the library's only way to refuse a pattern
            return fail(EINVAL, "failed to compile regex '{}': {}", pattern, error.what());
        }
    }
    LogFilter filter;
    filter.patterns_ = std::move(compiled);
    return filter;
}

bool LogFilter::drops(const std::string& line) const {
    if (line.find_first_not_of(" \t\r\n\v\f") == std::string::npos) return true;
    return std::ranges::any_of(patterns_->list, [&](const std::regex& pattern) {
        return std::regex_search(line, pattern);
    });
}

Result<ScriptConfig> ScriptConfig::from_config(const JsonObject& config) {
    ScriptConfig scripts;
    const Json* manager = config.if_contains("job-manager");
    if (!manager || !manager->is_object()) return scripts;
    const JsonObject& tables = manager->as_object();
    for (const bool is_prolog : {true, false}) {
        const std::string_view name = is_prolog ? "prolog" : "epilog";
        const Json* table = tables.if_contains(name);
        if (!table) continue;
        auto script = perilog_of(config, *table, name, is_prolog);
        if (!script) return script.error().in(fmt::format("[job-manager.{}]", name));
        (is_prolog ? scripts.prolog : scripts.epilog) = *std::move(script);
    }
    if (const Json* table = tables.if_contains("perilog")) {
        auto filter = filter_of(*table);
        if (!filter) return filter.error().in("[job-manager.perilog]");
        scripts.log_ignore = *std::move(filter);
    }
    if (const Json* table = tables.if_contains("housekeeping")) {
        auto housekeeping = housekeeping_of(config, *table);
        if (!housekeeping) return housekeeping.error().in("job-manager.housekeeping");
        scripts.housekeeping = *std::move(housekeeping);
    }
    return scripts;
}

}  // namespace sluice
