#include "broker/jobs/job_filter.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <set>

#include "base/rfc/hostlist.hpp"
#include "base/rfc/idset.hpp"

namespace sluice {
namespace {

using Test = std::function<bool(const Job&)>;
constexpr int depth_max = 64;

std::string lower(std::string_view text) {
    std::string out{text};
    for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

Result<unsigned> parse_results(const Json& value) {
    if (const auto bits = as_integer(value)) return static_cast<unsigned>(*bits);
    static const std::map<std::string, unsigned, std::less<>> names{
        {"completed", 1}, {"failed", 2}, {"canceled", 4}, {"timeout", 8}};
    if (value.is_string())
        if (const auto found = names.find(lower(value.as_string())); found != names.end())
            return found->second;
    return fail(EINVAL, "results: {} is not a result", dump_json(value));
}

/// Of each value the bits; any of them may match.
template <class Parse>
Result<unsigned> parse_bits(const JsonArray& values, Parse parse) {
    unsigned bits = 0;
    for (const Json& value : values) {
        SLUICE_TRY(const unsigned one, parse(value));
        bits |= one;
    }
    return bits;
}

Result<Test> text_test(const JsonArray& values, SharedText Job::*member) {
    std::set<std::string> wanted;
    for (const Json& value : values) {
        if (!value.is_string())
            return fail(EINVAL, "constraint: want strings, found {}", dump_json(value));
        wanted.emplace(value.as_string());
    }
    return Test{[wanted, member](const Job& job) { return wanted.contains(job.*member); }};
}

Result<Test> userid_test(const JsonArray& values) {
    std::set<std::int64_t> wanted;
    bool any = false;
    for (const Json& value : values) {
        const auto userid = as_integer(value);
        if (!userid) return fail(EINVAL, "userid: {} is not an integer", dump_json(value));
        any = any || *userid == -1 || *userid == userid_unknown.value;
        wanted.insert(*userid);
    }
    if (any) return Test{[](const Job&) { return true; }};
    return Test{[wanted](const Job& job) { return wanted.contains(job.userid.value); }};
}

Result<Test> hostlist_test(const JsonArray& values) {
    Hostlist wanted;
    for (const Json& value : values) {
        if (!value.is_string())
            return fail(EINVAL, "hostlist: {} is not a string", dump_json(value));
        SLUICE_TRY(const Hostlist hosts, Hostlist::parse(std::string_view{value.as_string()}));
        wanted.append(hosts);
    }
    return Test{[wanted](const Job& job) {
        if (job.nodelist.empty()) return false;
        const auto hosts = Hostlist::parse(job.nodelist);
        return hosts && std::any_of(hosts->hosts().begin(), hosts->hosts().end(),
                                    [&](const auto& host) { return wanted.contains(host); });
    }};
}

Result<Test> ranks_test(const JsonArray& values) {
    Idset wanted;
    for (const Json& value : values) {
        if (!value.is_string()) return fail(EINVAL, "ranks: {} is not a string", dump_json(value));
        SLUICE_TRY(const Idset ranks, Idset::parse(std::string_view{value.as_string()}));
        wanted |= ranks;
    }
    return Test{[wanted](const Job& job) {
        if (job.ranks.empty()) return false;
        const auto ranks = Idset::parse(job.ranks);
        return ranks && !(*ranks & wanted).empty();
    }};
}

struct TimeBound {
    enum class Op { ge, gt, le, lt } op;
    double value;
    bool holds(double t) const {
        switch (op) {
            case Op::ge: return t >= value;
            case Op::gt: return t > value;
            case Op::le: return t <= value;
            case Op::lt: return t < value;
        }
        return false;
    }
};

Result<TimeBound> parse_bound(const Json& value) {
    const auto bad = [&] {
        return fail(EINVAL, "constraint: {} is not a time such as \">=12.5\"", dump_json(value));
    };
    if (!value.is_string()) return bad();
    std::string_view text{value.as_string()};
    TimeBound bound{TimeBound::Op::ge, 0};
    if (text.starts_with(">=")) bound.op = TimeBound::Op::ge;
    else if (text.starts_with("<=")) bound.op = TimeBound::Op::le;
    else if (text.starts_with(">")) bound.op = TimeBound::Op::gt;
    else if (text.starts_with("<")) bound.op = TimeBound::Op::lt;
    else return bad();
    text.remove_prefix(text.size() > 1 && text[1] == '=' ? 2 : 1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bound.value);
    if (error != std::errc{} || end != text.data() + text.size()) return bad();
    return bound;
}

Result<Test> time_test(const JsonArray& values, double Job::*member) {
    std::vector<TimeBound> bounds;
    for (const Json& value : values) {
        SLUICE_TRY(const TimeBound bound, parse_bound(value));
        bounds.push_back(bound);
    }
    return Test{[bounds, member](const Job& job) {
        return job.*member > 0 &&
               std::any_of(bounds.begin(), bounds.end(),
                           [&](const TimeBound& bound) { return bound.holds(job.*member); });
    }};
}

double Job::*time_member(std::string_view name) {
    static const std::map<std::string_view, double Job::*> members{
        {"t_submit", &Job::t_submit}, {"t_depend", &Job::t_depend}, {"t_sched", &Job::t_sched},
        {"t_run", &Job::t_run}, {"t_cleanup", &Job::t_cleanup}, {"t_inactive", &Job::t_inactive}};
    const auto found = members.find(name);
    return found == members.end() ? nullptr : found->second;
}

Result<Test> parse(const Json& constraint, int depth);

Result<Test> logic_test(std::string_view op, const JsonArray& values, int depth) {
    std::vector<Test> tests;
    for (const Json& value : values) {
        SLUICE_TRY(Test test, parse(value, depth + 1));
        tests.push_back(std::move(test));
    }
    if (op == "or")
        return Test{[tests](const Job& job) {
            return tests.empty() || std::any_of(tests.begin(), tests.end(),
                                                [&](const Test& test) { return test(job); });
        }};
    const bool negate = op == "not";
    return Test{[tests, negate](const Job& job) {
        return std::all_of(tests.begin(), tests.end(),
                           [&](const Test& test) { return test(job); }) != negate;
    }};
}

Result<Test> parse_operator(std::string_view op, const JsonArray& values, int depth) {
    if (op == "and" || op == "or" || op == "not") return logic_test(op, values, depth);
    if (op == "userid") return userid_test(values);
    if (op == "name") return text_test(values, &Job::name);
    if (op == "queue") return text_test(values, &Job::queue);
    if (op == "hostlist") return hostlist_test(values);
    if (op == "ranks") return ranks_test(values);
    if (op == "states") {
        SLUICE_TRY(const unsigned states, parse_bits(values, parse_states));
        return Test{[states](const Job& job) { return job.is(states); }};
    }
    if (op == "results") {
        SLUICE_TRY(const unsigned results, parse_bits(values, parse_results));
        return Test{[results](const Job& job) {
            return (static_cast<unsigned>(job.result) & results) != 0;
        }};
    }
    if (const auto member = time_member(op)) return time_test(values, member);
    return fail(EINVAL, "unknown constraint operator: {}", op);
}

Result<Test> parse(const Json& constraint, int depth) {
    if (depth > depth_max) return fail(EINVAL, "constraint: nested deeper than {}", depth_max);
    if (!constraint.is_object()) return fail(EINVAL, "constraint must be JSON object");
    const JsonObject& object = constraint.as_object();
    if (object.empty()) return Test{[](const Job&) { return true; }};
    if (object.size() > 1) return fail(EINVAL, "constraint must only contain 1 element");
    const auto& [op, values] = *object.begin();
    if (!values.is_array())
        return fail(EINVAL, "operator {} value must be an array", std::string_view{op});
    return parse_operator(op, values.as_array(), depth);
}

}  // namespace

Result<unsigned> parse_states(const Json& value) {
    if (const auto bits = as_integer(value)) return static_cast<unsigned>(*bits);
    static const std::map<std::string, unsigned, std::less<>> names{
        {"depend", 2},   {"priority", 4},  {"sched", 8},    {"run", 16},   {"cleanup", 32},
        {"inactive", 64}, {"pending", 14}, {"running", 48}, {"active", 62}};
    if (value.is_string())
        if (const auto found = names.find(lower(value.as_string())); found != names.end())
            return found->second;
    return fail(EINVAL, "states: {} is not a state", dump_json(value));
}

Result<JobFilter> JobFilter::from_json(const Json& constraint) {
    JobFilter filter;
    SLUICE_TRY(filter.test_, parse(constraint, 0));
    return filter;
}

}  // namespace sluice
