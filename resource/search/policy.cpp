#include "resource/search/policy.hpp"

#include <utility>

namespace sluice {
namespace {

using Order = MatchPolicy::Order;

constexpr std::pair<std::string_view, MatchPolicy> known[] = {
    {"first", {Order::high, true, false, true}}, {"firstnodex", {Order::high, true, true, true}},
    {"high", {Order::high, false, false, false}}, {"low", {Order::low, false, false, false}},
    {"lonode", {Order::low, true, false, false}}, {"hinode", {Order::high, true, false, false}},
    {"lonodex", {Order::low, true, true, false}}, {"hinodex", {Order::high, true, true, false}},
    {"locality", {Order::locality, false, false, false}},
    {"variation", {Order::variation, false, false, false}},
};

Result<void> set_option(std::string_view key, std::string_view value, MatchPolicy& policy) {
    if (key == "policy") {
        if (value != "low" && value != "high")
            return fail(EINVAL, "policy must be low or high, found '{}'", value);
        policy.order = value == "low" ? Order::low : Order::high;
        return {};
    }
    bool* option = key == "node_centric"        ? &policy.node_centric
                   : key == "node_exclusive"    ? &policy.node_exclusive
                   : key == "stop_on_1_matches" ? &policy.stop_at_first
                                                : nullptr;
    if (!option) return fail(EINVAL, "unknown match policy or option '{}'", key);
    if (value != "true" && value != "false")
        return fail(EINVAL, "policy option {} must be true or false, found '{}'", key, value);
    *option = value == "true";
    return {};
}

}  // namespace

Result<MatchPolicy> MatchPolicy::parse(std::string_view text) {
    for (const auto& [name, policy] : known)
        if (name == text) return policy;
    MatchPolicy policy;
    bool ordered = false;
    while (!text.empty()) {
        const std::string_view option = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(text.size(), option.size() + 1));
        const auto equals = option.find('=');
        const std::string_view key = option.substr(0, equals);
        SLUICE_CHECK(set_option(
            key, equals == std::string_view::npos ? "" : option.substr(equals + 1), policy));
        ordered |= key == "policy";
    }
    if (!ordered) return fail(EINVAL, "match policy without policy=low or policy=high");
    return policy;
}

}  // namespace sluice
