// RFC 31 - constraints: what is read can be matched, and "not" turns the answer round.
#include "base/rfc/constraint.hpp"
#include "t/fuzz/fuzz.hpp"

SLUICE_FUZZ(text) {
    using namespace sluice;
    const auto value = parse_json(text);
    if (!value) return;
    const auto constraint = Constraint::from_json(*value);
    if (!constraint) return;
    const auto negated = Constraint::from_json({{"not", JsonArray({*value})}});
    SLUICE_ASSERT(negated);
    const std::string host = "n1";
    const std::vector<std::string> properties = {"a", "b"};
    const ConstraintNode node{1, host, properties};
    SLUICE_ASSERT(constraint->matches(node) != negated->matches(node));
}
