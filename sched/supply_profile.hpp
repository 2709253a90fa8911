// How much will be free, and when: nodes, cores and GPUs as numbers over time. They are never lower
// than the truth, so a time that they refuse need not be looked at.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "base/rfc/jobspec.hpp"
#include "base/rfc/resource_set.hpp"

namespace sluice {

inline constexpr double never = std::numeric_limits<double>::infinity();

struct Supply {
    std::int64_t nodes = 0;  // idle ones
    std::int64_t cores = 0, gpus = 0;

    Supply operator-() const { return {-nodes, -cores, -gpus}; }
    Supply& operator+=(const Supply& other) {
        nodes += other.nodes;
        cores += other.cores;
        gpus += other.gpus;
        return *this;
    }
    bool covers(const Supply& need) const {
        return nodes >= need.nodes && cores >= need.cores && gpus >= need.gpus;
    }
    friend bool operator==(const Supply&, const Supply&) = default;
};

/// The least that a request takes. `exclusive`: whole nodes, asked for or not.
Supply least_of(const ResourceRequest& request, bool exclusive);

class SupplyProfile {
  public:
    struct Change {
        double time;  // seconds since the epoch
        Supply more;
    };
    /// `free` from `now` on; `changes` are later, in ascending order.
    void build(double now, const Supply& free, std::span<const Change> changes);
    /// Adds `more` from `from` up to `to`, which may be never.
    void add(double from, double to, const Supply& more);
    /// The earliest time of `from` or a change after it, and before `before`, from which on `need`
    /// is there for `duration` seconds (never = for good).
    std::optional<double> first_fit(const Supply& need, double duration, double from,
                                    double before = never) const;
    /// The time of the first change after `time`.
    std::optional<double> next_change(double time) const;
    /// Times of change within (after, before), ascending.
    std::vector<double> changes_between(double after, double before) const;

  private:
    struct Step {
        double time;
        Supply free;
    };
    std::size_t step_at(double time) const;
    std::size_t break_at(double time);

    std::vector<Step> steps_;  // ascending; the last one holds for good
};

}  // namespace sluice
