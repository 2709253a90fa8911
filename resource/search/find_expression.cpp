#include "resource/search/find_expression.hpp"

#include <algorithm>

#include "base/rfc/fluid.hpp"
#include "base/rfc/hostlist.hpp"

namespace sluice {
namespace {

constexpr std::string_view blanks = " \t";
constexpr int depth_max = 32;

std::string lower(std::string_view text) {
    std::string lowered{text};
    std::ranges::transform(lowered, lowered.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return lowered;
}

void skip_blanks(std::string_view& text) {
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(blanks)));
}

/// Where the parenthesis that opens `text` closes; npos if it does not.
std::size_t closing(std::string_view text) {
    int open = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        open += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
        if (open == 0) return i;
    }
    return std::string_view::npos;
}

}  // namespace

Result<FindExpression::Term> FindExpression::parse_predicate(std::string_view key,
                                                             std::string_view value) {
    const std::string word = lower(value);
    Term term;
    const auto choose = [&](std::string_view yes, Kind if_yes, std::string_view no, Kind if_no) {
        term.kind = word == yes ? if_yes : if_no;
        return word == yes || word == no;
    };
    bool good = false;
    if (key == "status") {
        good = choose("up", Kind::status_up, "down", Kind::status_down);
    } else if (key == "sched-now") {
        good = choose("allocated", Kind::now_allocated, "free", Kind::now_free);
    } else if (key == "sched-future") {
        good = choose("reserved", Kind::future_reserved, "free", Kind::future_free);
    } else if (key == "agfilter") {
        term.kind = Kind::constant;
        term.constant = sums_ = word == "true" || word == "t";
        good = term.constant || word == "false" || word == "f";
    } else if (key == "names") {
        term.kind = Kind::names;
        if (const auto hosts = Hostlist::parse(word)) {
            term.names = hosts->hosts();
            std::ranges::sort(term.names);
            good = true;
        }
    } else if (key == "property") {
        term.kind = Kind::property;
        term.property = word;
        good = !word.empty();
    } else if (key.starts_with("jobid-")) {
        const std::string_view what = key.substr(6);
        term.kind = what == "alloc"      ? Kind::job_allocated
                    : what == "reserved" ? Kind::job_reserved
                    : what == "span"     ? Kind::job_span
                    : what == "tag"      ? Kind::job_tag
                                         : Kind::all;
        const auto job = fluid_decode(value);
        good = job && term.kind != Kind::all;
        if (good) job_ = term.job = static_cast<JobKey>(job->value);
    }
    if (!good) return fail(EINVAL, "{}={}", key, value);
    return term;
}

Result<FindExpression::Term> FindExpression::parse_one(std::string_view& text, int depth) {
    skip_blanks(text);
    if (text.starts_with('(')) {
        const std::size_t end = closing(text);
        if (end == std::string_view::npos) return fail(EINVAL, "'(' is not closed");
        const std::string_view inside = text.substr(1, end - 1);
        text.remove_prefix(end + 1);
        return parse_all(inside, depth - 1);
    }
    const std::string_view word = text.substr(0, text.find_first_of(blanks));
    text.remove_prefix(word.size());
    const auto equals = word.find('=');
    if (equals == std::string_view::npos) return fail(EINVAL, "'{}' is no predicate", word);
    return parse_predicate(word.substr(0, equals), word.substr(equals + 1));
}

Result<FindExpression::Term> FindExpression::parse_all(std::string_view text, int depth) {
    if (depth <= 0) return fail(EINVAL, "nested too deeply");
    Term term;
    SLUICE_TRY(Term first, parse_one(text, depth));
    term.parts.push_back(std::move(first));
    for (skip_blanks(text); !text.empty(); skip_blanks(text)) {
        const std::string_view word = text.substr(0, text.find_first_of(blanks));
        const bool joined_by_or = word == "or";
        if (joined_by_or || word == "and") text.remove_prefix(word.size());
        SLUICE_TRY(Term next, parse_one(text, depth));
        next.joined_by_or = joined_by_or;
        term.parts.push_back(std::move(next));
    }
    return term;
}

Result<FindExpression> FindExpression::parse(std::string_view criteria) {
    FindExpression expression;
    auto root = expression.parse_all(criteria, depth_max);
    if (!root)
        return fail(EINVAL, "invalid criteria: {}: {}", criteria, root.error().text());
    expression.root_ = *std::move(root);
    return expression;
}

bool FindExpression::Term::matches(const Vertex& vertex, const VertexState* state,
                                   FindFacts facts) const {
    switch (kind) {
        case Kind::all: {
            bool result = true;
            for (const Term& part : parts) {
                const bool one = part.matches(vertex, state, facts);
                result = part.joined_by_or ? result || one : result && one;
            }
            return result;
        }
        case Kind::status_up: return !facts.down && vertex.up;
        case Kind::status_down: return facts.down || !vertex.up;
        case Kind::now_allocated: return facts.allocated;
        case Kind::now_free: return !facts.allocated;
        case Kind::future_reserved: return facts.reserved;
        case Kind::future_free: return !facts.reserved;
        case Kind::job_allocated: return state && state->allocations.contains(job);
        case Kind::job_reserved: return state && state->reservations.contains(job);
        case Kind::job_span: return state && state->in_filter.contains(job);
        case Kind::job_tag: return state && state->tags.contains(job);
        case Kind::names: return std::ranges::binary_search(names, vertex.name);
        case Kind::property: return vertex.properties.contains(property);
        case Kind::constant: return constant;
    }
    return false;
}

bool FindExpression::matches(const Vertex& vertex, const VertexState* state,
                             FindFacts facts) const {
    return root_.matches(vertex, state, facts);
}

}  // namespace sluice
