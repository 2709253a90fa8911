#include "cmd/format/queue_fields.hpp"

#include <fmt/format.h>

#include <limits>
#include <map>

#include "base/rfc/fsd.hpp"

namespace sluice {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

struct CountName {
    std::string_view field, noun, heading;
    std::int64_t ResourceCounts::*member;
};
constexpr CountName count_names[] = {
    {"nnodes", "NODES", "NNODES", &ResourceCounts::nnodes},
    {"ncores", "CORES", "NCORES", &ResourceCounts::ncores},
    {"ngpus", "GPUS", "NGPUS", &ResourceCounts::ngpus},
};

struct SetName {
    std::string_view field, suffix;
    ResourceCounts QueueRow::*member;
};
constexpr SetName set_names[] = {
    {"all", "", &QueueRow::all},        {"up", ":UP", &QueueRow::up},
    {"down", ":DOWN", &QueueRow::down}, {"allocated", ":ALLOC", &QueueRow::allocated},
    {"free", ":FREE", &QueueRow::free},
};

const CountName* find_count(std::string_view field) {
    for (const CountName& count : count_names)
        if (count.field == field) return &count;
    return nullptr;
}

/// The policy value at a dotted path: the queue's own, else the instance's.
const Json* policy(const QueueRow& queue, const std::string& path) {
    if (!queue.name.empty())
        if (const Json* queues = queue.config.if_contains("queues"); queues && queues->is_object())
            if (const Json* own = queues->get_object().if_contains(queue.name))
                if (const Json* value = find_path(*own, "policy." + path)) return value;
    return find_path(queue.config, "policy." + path);
}

double duration(const QueueRow& queue, const std::string& path) {
    const Json* value = policy(queue, path);
    if (!value) return unlimited;
    double seconds = 0;
    if (const auto number = as_number(*value))
        seconds = *number;
    else if (value->is_string())
        seconds = fsd_parse(value->get_string()).value_or(0);
    return seconds == 0 ? unlimited : seconds;
}

double size_limit(const QueueRow& queue, std::string_view end, const CountName& count) {
    const Json* value = policy(queue, fmt::format("limits.job-size.{}.{}", end, count.field));
    const auto number = value ? as_number(*value) : std::nullopt;
    if (!number || (*number < 0 && end == "max")) return end == "max" ? unlimited : 0;
    return *number < 0 ? 0 : *number;
}

FieldValue size_value(double size) {
    if (size == unlimited) return "inf";
    return static_cast<std::int64_t>(size);
}

std::string range_text(double low, double high) {
    return plain_text(size_value(low)) + "-" + plain_text(size_value(high));
}

/// Fields limits.{min,max,range,range.effective}.{nnodes,ncores,ngpus}.
FieldValue limit_field(const QueueRow& queue, std::string_view field) {
    const std::size_t dot = field.rfind('.');
    const CountName* count = find_count(field.substr(dot + 1));
    const std::string_view end = field.substr(0, dot);
    if (end == "min" || end == "max") return size_value(size_limit(queue, end, *count));
    double high = size_limit(queue, "max", *count);
    if (end == "range.effective")
        high = std::min(high, static_cast<double>(queue.all.*count->member));
    return range_text(size_limit(queue, "min", *count), high);
}

FieldValue resource_field(const QueueRow& queue, std::string_view field) {
    const std::size_t dot = field.find('.');
    for (const SetName& set : set_names)
        if (set.field == field.substr(0, dot))
            return queue.*set.member.*find_count(field.substr(dot + 1))->member;
    return "";
}

bool is_default_queue(const QueueRow& queue) {
    const Json* value = find_path(queue.config, "policy.jobspec.defaults.system.queue");
    return !queue.name.empty() && value && value->is_string() && value->get_string() == queue.name;
}

std::string colour(const QueueRow& queue, bool good) {
    if (!queue.colour) return "";
    return good ? "\033[01;32m" : "\033[01;31m";
}

std::map<std::string, std::string, std::less<>> make_headings() {
    std::map<std::string, std::string, std::less<>> headings{{"queue", "QUEUE"},
                                                             {"queuem", "QUEUE"},
                                                             {"submission", "SUBMIT"},
                                                             {"scheduling", "SCHED"},
                                                             {"enabled", "EN"},
                                                             {"enabled.ascii", "EN"},
                                                             {"started", "ST"},
                                                             {"started.ascii", "ST"},
                                                             {"color_enabled", ""},
                                                             {"color_started", ""},
                                                             {"color_off", ""},
                                                             {"defaults.timelimit", "TDEFAULT"},
                                                             {"limits.timelimit", "TLIMIT"}};
    for (const CountName& count : count_names) {
        headings[fmt::format("limits.range.{}", count.field)] = count.heading;
        headings[fmt::format("limits.range.effective.{}", count.field)] = count.heading;
        headings[fmt::format("limits.min.{}", count.field)] = fmt::format("MIN{}", count.noun);
        headings[fmt::format("limits.max.{}", count.field)] = fmt::format("MAX{}", count.noun);
        for (const SetName& set : set_names)
            headings[fmt::format("resources.{}.{}", set.field, count.field)] =
                fmt::format("{}{}", count.noun, set.suffix);
    }
    return headings;
}

}  // namespace

std::vector<std::string> configured_queues(const JsonObject& config) {
    std::vector<std::string> names;
    const Json* queues = config.if_contains("queues");
    if (queues && queues->is_object())
        for (const auto& [name, value] : queues->get_object()) names.emplace_back(name);
    return names;
}

std::vector<std::string> queue_requires(const JsonObject& config, const std::string& name) {
    std::vector<std::string> properties;
    const Json* queues = config.if_contains("queues");
    if (!queues || !queues->is_object()) return properties;
    const Json* queue = queues->get_object().if_contains(name);
    const Json* list = queue ? find_path(*queue, "requires") : nullptr;
    if (list && list->is_array())
        for (const Json& property : list->get_array())
            if (property.is_string()) properties.emplace_back(property.get_string());
    return properties;
}

std::optional<std::string> queue_heading(std::string_view field) {
    static const auto headings = make_headings();
    const auto found = headings.find(field);
    if (found == headings.end()) return std::nullopt;
    return found->second;
}

FieldValue queue_field(const QueueRow& queue, std::string_view field) {
    if (field == "queue") return queue.name;
    if (field == "queuem") return is_default_queue(queue) ? queue.name + "*" : queue.name;
    if (field == "submission") return queue.enabled ? "enabled" : "disabled";
    if (field == "scheduling") return queue.started ? "started" : "stopped";
    if (field == "enabled") return queue.enabled ? "✔" : "✗";
    if (field == "started") return queue.started ? "✔" : "✗";
    if (field == "enabled.ascii") return queue.enabled ? "y" : "n";
    if (field == "started.ascii") return queue.started ? "y" : "n";
    if (field == "color_enabled") return colour(queue, queue.enabled);
    if (field == "color_started") return colour(queue, queue.started);
    if (field == "color_off") return queue.colour ? "\033[0;0m" : "";
    if (field == "defaults.timelimit") return duration(queue, "jobspec.defaults.system.duration");
    if (field == "limits.timelimit") return duration(queue, "limits.duration");
    if (field.starts_with("limits.")) return limit_field(queue, field.substr(7));
    if (field.starts_with("resources.")) return resource_field(queue, field.substr(10));
    return "";
}

}  // namespace sluice
