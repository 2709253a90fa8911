// Housekeeping on the ranks that one job had: which of them go back to the scheduler when
// (flux-config-job-manager(5), release-after). Pure.
//
//   pending -done-> done -release-> released; all together, each at once, or those that are done
//   `release_after` seconds after the first, and each at once from then on.
#pragma once

#include <cstdint>
#include <optional>

#include "base/rfc/idset.hpp"

namespace sluice {

class HousekeepingFsm {
  public:
    /// `release_after`: seconds, 0 each at once, -1 all together.
    HousekeepingFsm(Idset ranks, double release_after)
        : pending_(ranks), held_(std::move(ranks)), release_after_(release_after) {}

    /// Ranks to give back now; `final` when nothing is left. Empty ranks: nothing to do.
    struct Release {
        Idset ranks;
        bool final = false;
        friend bool operator==(const Release&, const Release&) = default;
    };
    Release on_done(std::uint32_t rank, double now);
    Release on_time(double now);
    std::optional<double> deadline() const { return deadline_; }

    const Idset& pending() const { return pending_; }
    /// Not given back yet.
    const Idset& held() const { return held_; }

  private:
    Release release();

    Idset pending_, held_;
    double release_after_;
    bool partial_ = false;  // the time has come
    std::optional<double> deadline_;
};

}  // namespace sluice
