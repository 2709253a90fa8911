// RFC 31 - see constraint.hpp.
#include "base/rfc/constraint.hpp"

#include <algorithm>
#include <unordered_set>

namespace sluice {

/// A node of the constraint's tree. Only the members its kind uses are filled.
struct Constraint::Term {
    enum class Kind { all, any, none, property, hosts, ranks } kind = Kind::all;
    std::vector<Term> terms;                // all, any; none: not all of them
    std::string property;
    bool negated = false;
    std::unordered_set<std::string> hosts;
    Idset ranks;

    bool matches(const ConstraintNode& node) const;
};

namespace {

using Term = Constraint::Term;
using Kind = Constraint::Term::Kind;

constexpr std::string_view property_forbidden = "!&'\"^`|()";  // RFC 20

Result<Term> read_object(const Json& value);

Result<Term> read_property(std::string_view text) {
    Term term{.kind = Kind::property};
    term.negated = text.starts_with('^');
    if (term.negated) text.remove_prefix(1);
    SLUICE_CHECK(check_property_name(text));
    term.property = text;
    return term;
}

Result<std::string_view> string_of(std::string_view op, const Json& value) {
    if (value.is_string()) return std::string_view{value.get_string()};
    return fail(EINVAL, "{} value must be a string, found {}", op, json_type_name(value));
}

Result<Term> read_properties(const JsonArray& values) {
    Term term;
    for (const Json& value : values) {
        SLUICE_TRY(const std::string_view text, string_of("properties", value));
        SLUICE_TRY(Term property, read_property(text));
        term.terms.push_back(std::move(property));
    }
    return term;
}

Result<Term> read_hosts(const JsonArray& values) {
    Term term{.kind = Kind::hosts};
    for (const Json& value : values) {
        SLUICE_TRY(const std::string_view text, string_of("hostlist", value));
        const auto hosts = Hostlist::parse(text);
        if (!hosts) return Error{EINVAL, hosts.error().in("invalid hostlist in constraint").text()};
        term.hosts.insert(hosts->hosts().begin(), hosts->hosts().end());
    }
    return term;
}

Result<Term> read_ranks(const JsonArray& values) {
    Term term{.kind = Kind::ranks};
    for (const Json& value : values) {
        SLUICE_TRY(const std::string_view text, string_of("ranks", value));
        const auto ranks = Idset::parse(text);
        if (!ranks) return ranks.error().in("invalid ranks in constraint");
        term.ranks |= *ranks;
    }
    return term;
}

Result<Term> read_logical(Kind kind, const JsonArray& values) {
    Term term{.kind = kind};
    for (const Json& value : values) {
        SLUICE_TRY(Term child, read_object(value));
        term.terms.push_back(std::move(child));
    }
    return term;
}

Result<Term> read_operator(std::string_view op, const Json& value) {
    const bool known = op == "properties" || op == "hostlist" || op == "ranks" || op == "and" ||
                       op == "or" || op == "not";
    if (!known) return fail(EINVAL, "unknown constraint operator '{}'", op);
    if (!value.is_array())
        return fail(EINVAL, "{} operator value must be an array, found {}", op,
                    json_type_name(value));
    const JsonArray& values = value.get_array();
    if (op == "properties") return read_properties(values);
    if (op == "hostlist") return read_hosts(values);
    if (op == "ranks") return read_ranks(values);
    if (op == "or") return read_logical(Kind::any, values);
    return read_logical(op == "and" ? Kind::all : Kind::none, values);
}

Result<Term> read_object(const Json& value) {
    if (!value.is_object())
        return fail(EINVAL, "constraint must be an object, found {}", json_type_name(value));
    Term term;
    for (const auto& member : value.get_object()) {
        SLUICE_TRY(Term child, read_operator(member.key(), member.value()));
        term.terms.push_back(std::move(child));
    }
    return term;
}

}  // namespace

Result<void> check_property_name(std::string_view name) {
    if (name.empty()) return fail(EINVAL, "property: the name is empty");
    if (const auto at = name.find_first_of(property_forbidden); at != std::string_view::npos)
        return fail(EINVAL, "invalid character '{}' in property \"{}\"", name[at], name);
    return {};
}

bool Constraint::Term::matches(const ConstraintNode& node) const {
    const auto holds = [&](const Term& term) { return term.matches(node); };
    switch (kind) {
        case Kind::all: return std::ranges::all_of(terms, holds);
        case Kind::any: return terms.empty() || std::ranges::any_of(terms, holds);
        case Kind::none: return !std::ranges::all_of(terms, holds);
        case Kind::hosts: return hosts.contains(node.host);
        case Kind::ranks: return ranks.contains(node.rank);
        case Kind::property: break;
    }
    return (std::ranges::find(node.properties, property) != node.properties.end()) != negated;
}

Result<Constraint> Constraint::from_json(const Json& value) {
    SLUICE_TRY(Term root, read_object(value));
    Constraint constraint;
    if (!root.terms.empty()) constraint.root_ = std::make_shared<const Term>(std::move(root));
    return constraint;
}

bool Constraint::matches(const ConstraintNode& node) const {
    return !root_ || root_->matches(node);
}

}  // namespace sluice
