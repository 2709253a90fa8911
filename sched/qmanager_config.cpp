#include "sched/qmanager_config.hpp"

#include <array>
#include <charconv>
#include <span>
#include <utility>

namespace sluice {
namespace {

struct Depth {
    std::string_view name;
    std::uint32_t QueueSettings::*member;
    std::uint32_t most;
};
constexpr std::array queue_depths{
    Depth{"max-queue-depth", &QueueSettings::max_queue_depth, 1000000},
    Depth{"queue-depth", &QueueSettings::queue_depth, 1000000},
};
constexpr std::array policy_depths{
    Depth{"max-reservation-depth", &QueueSettings::max_reservation_depth, 100000},
    Depth{"reservation-depth", &QueueSettings::reservation_depth, 100000},
};
using Depths = std::span<const Depth>;

constexpr std::array policy_names{
    std::pair{QueuePolicy::fcfs, std::string_view{"fcfs"}},
    std::pair{QueuePolicy::easy, std::string_view{"easy"}},
    std::pair{QueuePolicy::conservative, std::string_view{"conservative"}},
    std::pair{QueuePolicy::hybrid, std::string_view{"hybrid"}},
};

/// Unknown parameters are passed over, as the reference does.
Result<void> set_depth(std::string_view key, std::string_view name, const Json& value,
                       Depths depths, QueueSettings& settings) {
    for (const Depth& depth : depths) {
        if (depth.name != name) continue;
        std::optional<std::int64_t> number = as_integer(value);
        if (!number && value.is_string()) {
            const std::string_view text = value.get_string();
            std::int64_t read = 0;
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), read);
            if (error == std::errc{} && end == text.data() + text.size()) number = read;
        }
        if (!number || *number < 1 || *number > depth.most)
            return fail(EINVAL, "{}.{}: {} is not a whole number between 1 and {}", key, name,
                        dump_json(value), depth.most);
        settings.*depth.member = static_cast<std::uint32_t>(*number);
    }
    return {};
}

/// The part of `rest` up to `separator`, which is taken away with it.
std::string_view take_word(std::string_view& rest, char separator) {
    const std::string_view word = rest.substr(0, rest.find(separator));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    return word;
}

/// "queue-depth=16,max-queue-depth=1000"
Result<void> read_terms(std::string_view key, std::string_view text, Depths depths,
                        QueueSettings& settings) {
    while (!text.empty()) {
        const std::string_view term = take_word(text, ',');
        const std::size_t equals = term.find('=');
        if (equals == std::string_view::npos)
            return fail(EINVAL, "{}: '{}' is not name=number", key, term);
        SLUICE_CHECK(set_depth(key, term.substr(0, equals), Json(term.substr(equals + 1)), depths,
                               settings));
    }
    return {};
}

/// Parameters are a table, or a string of name=number.
Result<void> read_params(std::string_view key, const JsonObject& table, Depths depths,
                         QueueSettings& settings) {
    const Json* value = table.if_contains(key);
    if (!value) return {};
    if (value->is_string()) return read_terms(key, value->get_string(), depths, settings);
    if (!value->is_object()) return fail(EINVAL, "{}: want a table", key);
    for (const auto& member : value->get_object())
        SLUICE_CHECK(set_depth(key, member.key(), member.value(), depths, settings));
    return {};
}

void set_policy(std::string_view key, std::string_view name, QueueSettings& settings,
                SchedConfig& config) {
    const auto policy = find_queue_policy(name);
    if (!policy)
        config.warnings.push_back(fmt::format(
            "sched-fluxion-qmanager.{}: unknown policy '{}', fcfs is used; choose fcfs, easy, "
            "hybrid or conservative", key, name));
    settings.policy = policy.value_or(QueuePolicy::fcfs);
}

/// "queue:value queue2:value2", each given to `read` with the settings of its queue.
template <class Read>
Result<void> read_per_queue(std::string_view key, const JsonObject& table,
                            const JsonObject* queues, SchedConfig& config, Read read) {
    JsonReader in{table};
    const auto value = in.maybe_string(key);
    if (!in) return in.error();
    std::string_view text = value ? std::string_view{*value} : std::string_view{};
    while (!text.empty()) {
        const std::string_view term = take_word(text, ' ');
        if (term.empty()) continue;
        const std::size_t colon = term.find(':');
        if (colon == std::string_view::npos)
            return fail(EINVAL, "{}: '{}' is not queue:value", key, term);
        const std::string queue{term.substr(0, colon)};
        if (!queues || !queues->contains(queue))
            return fail(EINVAL, "{}: no queue '{}' in [queues]", key, queue);
        QueueSettings& settings = config.queues.try_emplace(queue, config.defaults).first->second;
        SLUICE_CHECK(read(term.substr(colon + 1), settings));
    }
    return {};
}

}  // namespace

std::string_view queue_policy_name(QueuePolicy policy) {
    for (const auto& [known, name] : policy_names)
        if (known == policy) return name;
    return {};
}

std::optional<QueuePolicy> find_queue_policy(std::string_view name) {
    for (const auto& [policy, known] : policy_names)
        if (known == name) return policy;
    return std::nullopt;
}

std::uint32_t QueueSettings::reservations() const {
    switch (policy) {
        case QueuePolicy::fcfs: return 0;
        case QueuePolicy::easy: return 1;
        case QueuePolicy::conservative: return std::min(depth(), max_reservation_depth);
        case QueuePolicy::hybrid: return std::min(reservation_depth, max_reservation_depth);
    }
    return 0;
}

const QueueSettings& SchedConfig::settings_for(const std::string& queue) const {
    const auto found = queues.find(queue);
    return found == queues.end() ? defaults : found->second;
}

Result<void> read_qmanager(const JsonObject& table, const JsonObject* queues,
                           SchedConfig& config) {
    JsonReader in{table};
    const auto name = in.maybe_string("queue-policy");
    if (!in) return in.error();
    if (name) set_policy("queue-policy", *name, config.defaults, config);
    SLUICE_CHECK(read_params("queue-params", table, queue_depths, config.defaults));
    SLUICE_CHECK(read_params("policy-params", table, policy_depths, config.defaults));
    SLUICE_CHECK(read_per_queue("queue-policy-per-queue", table, queues, config,
                                [&](std::string_view value, QueueSettings& settings) {
                                    set_policy("queue-policy-per-queue", value, settings, config);
                                    return Result<void>{};
                                }));
    SLUICE_CHECK(read_per_queue("queue-params-per-queue", table, queues, config,
                                [](std::string_view value, QueueSettings& settings) {
                                    return read_terms("queue-params-per-queue", value,
                                                      queue_depths, settings);
                                }));
    return read_per_queue("policy-params-per-queue", table, queues, config,
                          [](std::string_view value, QueueSettings& settings) {
                              return read_terms("policy-params-per-queue", value, policy_depths,
                                                settings);
                          });
}

}  // namespace sluice
