#include "cmd/options/job_filter.hpp"

#include <algorithm>

#include "base/rfc/idset.hpp"

namespace sluice {

namespace {

struct Name {
    std::uint32_t bit;
    std::string_view name, abbreviation;
};
constexpr Name states[] = {
    {job_state::new_, "NEW", "N"},          {job_state::depend, "DEPEND", "D"},
    {job_state::priority, "PRIORITY", "P"}, {job_state::sched, "SCHED", "S"},
    {job_state::run, "RUN", "R"},           {job_state::cleanup, "CLEANUP", "C"},
    {job_state::inactive, "INACTIVE", "I"},
};
constexpr Name results[] = {
    {job_result::completed, "COMPLETED", "CD"},
    {job_result::failed, "FAILED", "F"},
    {job_result::canceled, "CANCELED", "CA"},
    {job_result::timeout, "TIMEOUT", "TO"},
};
constexpr Name state_groups[] = {
    {job_state::pending, "PENDING", ""},
    {job_state::running, "RUNNING", ""},
    {job_state::active, "ACTIVE", ""},
};

template <std::size_t n>
const Name* find_name(const Name (&names)[n], std::string_view name) {
    const auto found = std::ranges::find(names, name, &Name::name);
    return found == std::end(names) ? nullptr : found;
}

template <std::size_t n>
const Name* find_bit(const Name (&names)[n], std::int64_t bit) {
    const auto found = std::ranges::find(
        names, bit, [](const Name& name) { return static_cast<std::int64_t>(name.bit); });
    return found == std::end(names) ? nullptr : found;
}

std::string upper(std::string_view text) {
    std::string out{text};
    for (char& c : out)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return out;
}

/// Gives each word of a comma-separated list to `on_word`, until it fails.
template <class OnWord>
Result<void> each_word(std::string_view list, OnWord on_word) {
    while (!list.empty()) {
        const std::size_t end = list.find(',');
        SLUICE_CHECK(on_word(list.substr(0, end)));
        list.remove_prefix(end == list.npos ? list.size() : end + 1);
    }
    return {};
}

JsonObject condition(std::string_view key, JsonArray values) {
    JsonObject object;
    object[key] = std::move(values);
    return object;
}

JsonArray numbers(std::uint32_t number) {
    JsonArray array;
    array.emplace_back(number);
    return array;
}

JsonArray strings(const std::vector<std::string>& words) {
    JsonArray array;
    for (const std::string& word : words) array.emplace_back(word);
    return array;
}

}  // namespace

Result<StateFilter> parse_state_filter(std::string_view list) {
    StateFilter filter;
    SLUICE_CHECK(each_word(list, [&](std::string_view word) -> Result<void> {
        const std::string name = upper(word);
        const Name* state = find_name(states, name);
        if (!state) state = find_name(state_groups, name);
        const Name* result = find_name(results, name);
        if (!state && !result) return fail(EINVAL, "Invalid filter specified: {}", word);
        if (state) filter.states |= state->bit;
        if (result) filter.results |= result->bit;
        return {};
    }));
    return filter;
}

Result<std::uint32_t> parse_active_states(std::string_view list) {
    std::uint32_t mask = 0;
    SLUICE_CHECK(each_word(list, [&](std::string_view word) -> Result<void> {
        const std::string name = upper(word);
        const Name* state = find_name(states, name);
        if (!state) state = find_name(state_groups, name);
        if (!state || !(state->bit & job_state::active))
            return fail(EINVAL, "Invalid state {} specified", word);
        mask |= state->bit;
        return {};
    }));
    return mask;
}

JsonObject filter_constraint(const JobFilter& filter) {
    JsonArray all;
    if (filter.user) all.emplace_back(condition("userid", numbers(filter.user->value)));
    if (filter.name) all.emplace_back(condition("name", strings({*filter.name})));
    if (!filter.queues.empty()) all.emplace_back(condition("queue", strings(filter.queues)));
    if (!filter.include.empty()) {
        const bool ranks = Idset::parse(filter.include).has_value();
        all.emplace_back(condition(ranks ? "ranks" : "hostlist", strings({filter.include})));
    }
    JsonArray any;
    const StateFilter& states_wanted = filter.states;
    if (states_wanted.states) any.emplace_back(condition("states", numbers(states_wanted.states)));
    if (states_wanted.results)
        any.emplace_back(condition("results", numbers(states_wanted.results)));
    if (any.size() == 2)
        all.emplace_back(condition("or", std::move(any)));
    else if (any.size() == 1)
        all.push_back(std::move(any.front()));
    return condition("and", std::move(all));
}

std::string_view state_name(std::int64_t state) {
    const Name* found = find_bit(states, state);
    return found ? found->name : "";
}

std::string_view state_letter(std::int64_t state) {
    const Name* found = find_bit(states, state);
    return found ? found->abbreviation : "";
}

std::string_view result_name(std::int64_t result) {
    const Name* found = find_bit(results, result);
    return found ? found->name : "";
}

std::string_view result_abbreviation(std::int64_t result) {
    const Name* found = find_bit(results, result);
    return found ? found->abbreviation : "";
}

}  // namespace sluice
