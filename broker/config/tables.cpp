#include "broker/config/tables.hpp"

#include <algorithm>
#include <span>

#include "base/rfc/fsd.hpp"
#include "broker/jobs/exec_fsm.hpp"
#include "broker/jobs/plugins.hpp"
#include "broker/jobs/queues.hpp"
#include "broker/jobs/script_config.hpp"
#include "broker/jobs/validators.hpp"
#include "broker/lifecycle/bootstrap_plan.hpp"
#include "broker/overlay/topology.hpp"
#include "resource/resource_config.hpp"
#include "sched/types.hpp"

namespace sluice {
namespace {

enum class Kind { boolean, integer, text, duration, topology, object };

struct Key {
    std::string_view name;
    Kind kind;
    std::int64_t low = 0, high = 0;  // of an integer
};

enum class UnknownKeys { allow, refuse };

struct Table {
    std::string_view name;
    UnknownKeys unknown;
    std::span<const Key> keys;
};

constexpr std::int64_t big = std::int64_t{1} << 31;

constexpr Key access_keys[] = {
    {"allow-guest-user", Kind::boolean},
    {"allow-root-owner", Kind::boolean},
    {"private-mode", Kind::boolean},
    {"roles", Kind::object},
};
constexpr Key tbon_keys[] = {
    {"topo", Kind::topology},
    {"torpid_min", Kind::duration},
    {"torpid_max", Kind::duration},
    {"tcp_user_timeout", Kind::duration},
    {"connect_timeout", Kind::duration},
    {"zmqdebug", Kind::integer, 0, big},
    {"zmq_io_threads", Kind::integer, 1, 16},
    {"child_rcvhwm", Kind::integer, 0, big},
    {"interface-hint", Kind::text},
};
constexpr Key heartbeat_keys[] = {
    {"period", Kind::duration},
    {"timeout", Kind::duration},
    {"warn_thresh", Kind::integer, 0, big},
};
constexpr Key kvs_keys[] = {
    {"checkpoint-period", Kind::duration},
    {"gc-threshold", Kind::integer, 0, big},
};
constexpr Key sqlite_keys[] = {
    {"journal_mode", Kind::text},
    {"synchronous", Kind::text},
    {"max_checkpoints", Kind::integer, 1, big},
};
constexpr Key ingest_keys[] = {
    {"batch-count", Kind::integer, 0, big},
    {"buffer-size", Kind::text},
    {"frobnicator", Kind::object},
    {"validator", Kind::object},
};
constexpr Key job_manager_keys[] = {
    {"inactive-age-limit", Kind::duration},
    {"inactive-num-limit", Kind::integer, 0, big},
    {"stop-queues-on-restart", Kind::boolean},
};
constexpr Key job_list_keys[] = {
    {"max_comparisons", Kind::integer, 0, big},
};
constexpr Table tables[] = {
    {"access", UnknownKeys::refuse, access_keys},
    {"tbon", UnknownKeys::allow, tbon_keys},
    {"heartbeat", UnknownKeys::refuse, heartbeat_keys},
    {"kvs", UnknownKeys::allow, kvs_keys},
    {"content-sqlite", UnknownKeys::allow, sqlite_keys},
    {"ingest", UnknownKeys::allow, ingest_keys},
    {"job-manager", UnknownKeys::allow, job_manager_keys},
    {"job-list", UnknownKeys::allow, job_list_keys},
};

Error wrong_type(const std::string& key, const Json& found, std::string_view wanted) {
    return fail(EINVAL, "{}: found {}, wanted {}", key, json_type_name(found), wanted);
}

Result<void> check_text(const std::string& key, Kind kind, const Json& value) {
    if (!value.is_string())
        return wrong_type(key, value, kind == Kind::duration ? "a duration such as \"30s\""
                                                             : "a string");
    const std::string_view text = value.get_string();
    if (kind == Kind::duration && !fsd_parse(text))
        return fail(EINVAL, "{}: found '{}', wanted a duration such as \"30s\"", key, text);
    if (kind != Kind::topology) return {};
    const auto parsed = TopologyKind::parse(text);
    return parsed ? Result<void>{} : Result<void>{parsed.error().in(key)};
}

Result<void> check_value(const std::string& path, const Key& key, const Json& value) {
    switch (key.kind) {
        case Kind::boolean:
            if (value.is_bool()) return {};
            return wrong_type(path, value, "true or false");
        case Kind::object:
            if (value.is_object()) return {};
            return wrong_type(path, value, "a table");
        case Kind::integer: {
            const auto number = as_integer(value);
            if (!number) return wrong_type(path, value, "a number");
            if (*number >= key.low && *number <= key.high) return {};
            return fail(EINVAL, "{}: found {}, allowed {} to {}; remove the key for the default",
                        path, *number, key.low, key.high);
        }
        case Kind::text:
        case Kind::duration:
        case Kind::topology: return check_text(path, key.kind, value);
    }
    return {};
}

Result<void> check_table(const Table& table, const Json& value) {
    const std::string name{table.name};
    if (!value.is_object()) return wrong_type(name, value, "a table");
    for (const auto& [member, found] : value.get_object()) {
        const std::string path = name + "." + std::string{member};
        const auto key = std::ranges::find(table.keys, std::string_view{member}, &Key::name);
        if (key != table.keys.end()) {
            SLUICE_CHECK(check_value(path, *key, found));
        } else if (table.unknown == UnknownKeys::refuse) {
            std::string known;
            for (const Key& each : table.keys)
                known += (known.empty() ? "" : ", ") + std::string{each.name};
            return fail(EINVAL, "{}: unknown key; {} has {}", path, name, known);
        }
    }
    return {};
}

}  // namespace

Result<void> check_config_tables(const JsonObject& config) {
    for (const Table& table : tables)
        if (const Json* value = config.if_contains(table.name))
            SLUICE_CHECK(check_table(table, *value));
    SLUICE_CHECK(Validators::from_config(config));
    SLUICE_CHECK(ResourceConfig::from_config(config));
    SLUICE_CHECK(SchedConfig::from_config(config));
    SLUICE_CHECK(Queues::from_config(config));
    SLUICE_CHECK(ExecConfig::from_config(config));
    SLUICE_CHECK(ScriptConfig::from_config(config));
    SLUICE_CHECK(wants_perilog(config));
    const Json* bootstrap = config.if_contains("bootstrap");
    if (!bootstrap) return {};
    if (!bootstrap->is_object()) return wrong_type("bootstrap", *bootstrap, "a table");
    const auto plan = BootstrapPlan::parse(bootstrap->get_object());
    return plan ? Result<void>{} : Result<void>{plan.error()};
}

}  // namespace sluice
