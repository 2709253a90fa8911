// RFC 14 - what a job asks for in its general form: a tree of resource requests of any types, slots
// anywhere, counts that are numbers, ranges (RFC 45) or sets (RFC 22, 46). Jobspecs of version 1
// (RFC 25) are of this form too. Values may be JSON numbers or text, as they come out of YAML.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/rfc/constraint.hpp"

namespace sluice {

/// The counts that would do: min, then min op operand, … up to max; or the members of a set.
struct CountRange {
    std::uint64_t min = 1, max = 1;
    char op = '+';
    std::uint64_t operand = 1;
    std::vector<std::uint64_t> set;  // ascending; empty: the range counts

    static constexpr std::uint64_t unbounded = UINT32_MAX;
    /// A number, "4", "2-8:2:+", "3+", "1,3,5", or {"min":…,"max":…,"operator":…,"operand":…}.
    /// Errors: EINVAL saying what is impossible about it.
    static Result<CountRange> from_json(const Json& value);
    /// The largest count that `available` allows; 0 if not even the least.
    std::uint64_t largest(std::uint64_t available) const;
    friend bool operator==(const CountRange&, const CountRange&) = default;
};

struct Request {
    std::string type, unit, label, id;
    CountRange count;
    std::optional<bool> exclusive;
    std::vector<Request> with;
    /// The least that one of these needs below it, by type; filled by the searcher.
    std::map<std::string, std::uint64_t, std::less<>> least;
    bool slot() const { return type == "slot"; }
    friend bool operator==(const Request&, const Request&) = default;
};

struct JobRequest {
    std::vector<Request> resources;
    double duration = 0;  // seconds, 0: as long as the graph lives
    std::string queue;
    Constraint constraint;

    /// Checks the whole jobspec, tasks included.
    /// Errors: EINVAL "what, where, what was found".
    static Result<JobRequest> from_json(const JsonObject& jobspec);
};

}  // namespace sluice
