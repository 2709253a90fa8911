// RFC 14 - see request.hpp.
#include "resource/request/request.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/rfc/idset.hpp"

namespace sluice {
namespace {

constexpr int depth_max = 32;
constexpr std::size_t set_max = 4096;

bool scalar(const Json& value) { return !value.is_object() && !value.is_array(); }

/// Text of a scalar, however it was written.
Result<std::string> read_text(std::string_view what, const Json& value) {
    if (value.is_string()) return std::string{value.get_string()};
    if (scalar(value)) return dump_json(value);
    return fail(EINVAL, "{} must be a scalar, found {}", what, json_type_name(value));
}

Result<std::uint64_t> parse_count(std::string_view what, std::string_view text) {
    std::uint64_t count = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (code == std::errc::result_out_of_range || count > CountRange::unbounded)
        return fail(EINVAL, "{} {} is over {}", what, text, CountRange::unbounded);
    if (text.empty() || code != std::errc{} || end != text.data() + text.size())
        return fail(EINVAL, "{} must be an unsigned integer, found '{}'", what, text);
    return count;
}

Result<std::uint64_t> read_count(std::string_view what, const Json& value) {
    SLUICE_TRY(const std::string text, read_text(what, value));
    return parse_count(what, text);
}

Result<void> check_range(const CountRange& count) {
    if (count.min < 1) return fail(EINVAL, "count 0 is impossible: ask for 1 or more");
    if (count.max < count.min)
        return fail(EINVAL, "count: max {} is below min {}", count.max, count.min);
    switch (count.op) {
        case '+':
            if (count.operand < 1) return fail(EINVAL, "count: operand of + must be 1 or more");
            return {};
        case '*':
            if (count.operand < 2) return fail(EINVAL, "count: operand of * must be 2 or more");
            return {};
        case '^':
            if (count.operand < 2) return fail(EINVAL, "count: operand of ^ must be 2 or more");
            if (count.min < 2) return fail(EINVAL, "count: min of ^ must be 2 or more");
            return {};
        default: return fail(EINVAL, "count: operator '{}' is not one of + * ^", count.op);
    }
}

/// "a-b:operand:operator" of RFC 45, "a+" for no upper bound.
Result<CountRange> parse_range(std::string_view text) {
    CountRange count;
    std::string_view range = text;
    if (const auto colon = text.find(':'); colon != std::string_view::npos) {
        range = text.substr(0, colon);
        std::string_view rest = text.substr(colon + 1);
        if (const auto second = rest.find(':'); second != std::string_view::npos) {
            if (rest.size() != second + 2)
                return fail(EINVAL, "count '{}': one operator wanted at the end", text);
            count.op = rest.back();
            rest = rest.substr(0, second);
        }
        SLUICE_TRY(count.operand, parse_count("operand", rest));
    }
    if (range.ends_with('+')) {
        SLUICE_TRY(count.min, parse_count("count", range.substr(0, range.size() - 1)));
        count.max = CountRange::unbounded;
    } else if (const auto dash = range.find('-'); dash != std::string_view::npos) {
        SLUICE_TRY(count.min, parse_count("count", range.substr(0, dash)));
        SLUICE_TRY(count.max, parse_count("count", range.substr(dash + 1)));
    } else {
        SLUICE_TRY(count.min, parse_count("count", range));
        count.max = count.min;
    }
    SLUICE_CHECK(check_range(count));
    return count;
}

Result<CountRange> parse_set(std::string_view text) {
    const auto ids = Idset::parse(text);
    if (!ids) return ids.error().in("count");
    if (ids->size() > set_max)
        return fail(EINVAL, "count '{}' has over {} members: write a range", text, set_max);
    CountRange count;
    for (const Idset::Id id : *ids) count.set.push_back(id);
    if (count.set.empty() || count.set.front() == 0)
        return fail(EINVAL, "count '{}': 0 is impossible, ask for 1 or more", text);
    count.min = count.set.front();
    count.max = count.set.back();
    return count;
}

Result<CountRange> read_range(const JsonObject& object) {
    CountRange count;
    const Json* min = object.if_contains("min");
    if (!min) return fail(EINVAL, "Key \"min\" missing from count");
    SLUICE_TRY(count.min, read_count("min", *min));
    count.max = CountRange::unbounded;
    const Json *max = object.if_contains("max"), *op = object.if_contains("operator"),
               *operand = object.if_contains("operand");
    if (max || op || operand) {
        if (!max || !op || !operand)
            return fail(EINVAL, "All or none of \"max\", \"operator\", and \"operand\" must be "
                                "specified");
        SLUICE_TRY(count.max, read_count("max", *max));
        SLUICE_TRY(const std::string text, read_text("operator", *op));
        if (text.size() != 1) return fail(EINVAL, "operator '{}' is not one of + * ^", text);
        count.op = text[0];
        SLUICE_TRY(count.operand, read_count("operand", *operand));
    }
    SLUICE_CHECK(check_range(count));
    return count;
}

Result<std::vector<Request>> read_requests(const Json& value, int depth);

Result<void> read_member(std::string_view key, const Json& value, int depth, Request& to) {
    if (key == "type") {
        SLUICE_TRY(to.type, read_text(key, value));
    } else if (key == "count") {
        SLUICE_TRY(to.count, CountRange::from_json(value));
    } else if (key == "unit") {
        SLUICE_TRY(to.unit, read_text(key, value));
    } else if (key == "label") {
        SLUICE_TRY(to.label, read_text(key, value));
    } else if (key == "id") {
        SLUICE_TRY(to.id, read_text(key, value));
    } else if (key == "exclusive") {
        SLUICE_TRY(const std::string text, read_text(key, value));
        if (text != "true" && text != "false")
            return fail(EINVAL, "exclusive must be true or false, found '{}'", text);
        to.exclusive = text == "true";
    } else if (key == "with") {
        SLUICE_TRY(to.with, read_requests(value, depth - 1));
    } else {
        return fail(EINVAL, "Unrecognized key in resource mapping: {}", key);
    }
    return {};
}

Result<Request> read_request(const Json& value, int depth) {
    if (!value.is_object())
        return fail(EINVAL, "resource is not a mapping, found {}", json_type_name(value));
    const JsonObject& object = value.get_object();
    for (const std::string_view key : {"type", "count"})
        if (!object.contains(key)) return fail(EINVAL, "Key \"{}\" missing from resource", key);
    Request request;
    for (const auto& member : object)
        SLUICE_CHECK(read_member(member.key(), member.value(), depth, request));
    if (request.type.empty()) return fail(EINVAL, "resource type is empty");
    if (request.slot() && request.label.empty()) return fail(EINVAL, "All slots must be labeled");
    return request;
}

Result<std::vector<Request>> read_requests(const Json& value, int depth) {
    if (!value.is_array())
        return fail(EINVAL, "\"resources\" is not a sequence, found {}", json_type_name(value));
    if (depth <= 0) return fail(EINVAL, "resources nested over {} deep", depth_max);
    std::vector<Request> requests;
    for (const Json& item : value.get_array()) {
        SLUICE_TRY(Request request, read_request(item, depth));
        requests.push_back(std::move(request));
    }
    return requests;
}

Result<void> check_task(const Json& value) {
    if (!value.is_object())
        return fail(EINVAL, "task is not a mapping, found {}", json_type_name(value));
    const JsonObject& task = value.get_object();
    for (const std::string_view key : {"command", "slot", "count"})
        if (!task.contains(key)) return fail(EINVAL, "Key \"{}\" missing from task", key);
    if (!task.at("command").is_array()) return fail(EINVAL, "\"command\" value must be a sequence");
    SLUICE_CHECK(read_text("task slot", task.at("slot")));
    const Json& count = task.at("count");
    if (!count.is_object()) return fail(EINVAL, "\"count\" in task is not a mapping");
    if (count.get_object().size() != 1)
        return fail(EINVAL, "\"count\" in task must have exactly one entry");
    return {};
}

Result<double> read_duration(const Json& value) {
    SLUICE_TRY(const std::string text, read_text("duration", value));
    char* end = nullptr;
    const double duration = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !(duration >= 0) || std::isinf(duration))
        return fail(EINVAL, "duration must be 0 or more seconds, found '{}'", text);
    return duration;
}

Result<void> read_system(const JsonObject& system, JobRequest& job) {
    if (const Json* duration = system.if_contains("duration")) {
        SLUICE_TRY(job.duration, read_duration(*duration));
    }
    if (const Json* queue = system.if_contains("queue")) {
        SLUICE_TRY(job.queue, read_text("queue", *queue));
    }
    if (const Json* constraint = system.if_contains("constraints")) {
        SLUICE_TRY(job.constraint, Constraint::from_json(*constraint));
    }
    return {};
}

Result<void> read_attributes(const Json& value, JobRequest& job) {
    if (value.is_null() || (value.is_string() && value.get_string().empty())) return {};
    if (!value.is_object()) return fail(EINVAL, "\"attributes\" is not a map");
    for (const auto& member : value.get_object()) {
        if (member.key() == "user") continue;
        if (member.key() != "system")
            return fail(EINVAL, "Unknown key in \"attributes\": {}",
                        std::string_view{member.key()});
        if (member.value().is_object())
            SLUICE_CHECK(read_system(member.value().get_object(), job));
    }
    return {};
}

std::uint64_t largest_product(const CountRange& count, std::uint64_t limit) {
    std::uint64_t best = 0;
    for (std::uint64_t at = count.min; at <= limit;) {
        best = at;
        std::uint64_t next = at;
        if (count.op == '*') {
            next = at * count.operand;
        } else {
            for (std::uint64_t i = 1; i < count.operand && next <= limit; ++i) next *= at;
        }
        if (next <= at) break;
        at = next;
    }
    return best;
}

}  // namespace

Result<CountRange> CountRange::from_json(const Json& value) {
    if (value.is_object()) return read_range(value.get_object());
    if (value.is_array()) return fail(EINVAL, "count is not a mapping");
    SLUICE_TRY(const std::string text, read_text("count", value));
    const bool one_range = text.find_first_of(":+") != std::string::npos;
    if (!one_range && text.find_first_of(",[") != std::string::npos) return parse_set(text);
    return parse_range(text);
}

std::uint64_t CountRange::largest(std::uint64_t available) const {
    if (min > max || min > available) return 0;
    if (!set.empty()) {
        const auto above = std::upper_bound(set.begin(), set.end(), available);
        return above == set.begin() ? 0 : *std::prev(above);
    }
    const std::uint64_t limit = std::min(available, max);
    if (op == '+') return limit - (limit - min) % operand;
    return largest_product(*this, limit);
}

Result<JobRequest> JobRequest::from_json(const JsonObject& jobspec) {
    for (const std::string_view key : {"version", "resources", "tasks", "attributes"})
        if (!jobspec.contains(key))
            return fail(EINVAL, "Missing key \"{}\" in top level mapping", key);
    if (jobspec.size() != 4)
        return fail(EINVAL, "Top mapping in jobspec must have exactly four entries");
    SLUICE_TRY(const std::uint64_t version, read_count("version", jobspec.at("version")));
    if (version < 1 || version > 9999)
        return fail(EINVAL, "Only jobspec \"version\" 1-9999 is supported");
    JobRequest job;
    SLUICE_CHECK(read_attributes(jobspec.at("attributes"), job));
    SLUICE_TRY(job.resources, read_requests(jobspec.at("resources"), depth_max));
    const Json& tasks = jobspec.at("tasks");
    if (!tasks.is_array()) return fail(EINVAL, "\"tasks\" is not a sequence");
    for (const Json& task : tasks.get_array()) SLUICE_CHECK(check_task(task));
    return job;
}

}  // namespace sluice
