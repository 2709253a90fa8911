// RFC 31 - job constraints: {"and":[{"properties":["a","^b"]},{"not":[{"hostlist":["n1"]}]}]}.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/rfc/hostlist.hpp"
#include "base/rfc/idset.hpp"

namespace sluice {

/// What a constraint is matched against.
struct ConstraintNode {
    std::uint32_t rank;
    const std::string& host;
    const std::vector<std::string>& properties;
};

/// Errors: EINVAL "invalid character 'X' in property "…"" (RFC 20 reserves some).
Result<void> check_property_name(std::string_view name);

class Constraint {
  public:
    Constraint() = default;  // matches everything
    /// Errors: EINVAL "unknown constraint operator 'X'", or naming the bad value.
    static Result<Constraint> from_json(const Json& value);
    bool matches(const ConstraintNode& node) const;
    bool empty() const { return !root_; }

    struct Term;  // of constraint.cpp
  private:
    std::shared_ptr<const Term> root_;
};

}  // namespace sluice
