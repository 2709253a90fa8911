// What is in use now and until when, and what is kept for jobs that wait: the inventory over time.
// A reservation names its very cores and GPUs; nothing is given out that begins or ends inside it.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/strong_id.hpp"
#include "resource/inventory.hpp"
#include "resource/match/matcher.hpp"
#include "sched/timetable.hpp"

namespace sluice {

/// What is to be placed, and for how long (seconds, or never).
struct Demand {
    const MatchShape& shape;
    double duration = never;
};

/// What a search lacked, at the best time that it looked at.
struct Shortage {
    std::int64_t units = 0;  // nodes or slots
    double duration = 0;
    Supply given_back;       // by then, see Plan::still_short
};

class Plan {
  public:
    Plan() = default;
    Plan(const Plan&) = delete;
    Plan& operator=(const Plan&) = delete;

    /// Replaces the resources. What runs keeps what it holds; reservations are dropped.
    void define(const ResourceSet& R, const LocalityMap& locality, const Idset& up);
    void set_up(const Idset& ranks, bool up);
    const Inventory& inventory() const { return inventory_; }

    /// A job holds R from now on, until `end`. What others hold already is not counted twice.
    /// Errors: EBUSY as Inventory::allocate; the job is entered all the same.
    Result<void> run(JobId id, ResourceSet R, double end);
    /// What a running job holds, or nullptr.
    const ResourceSet* held_by(JobId id) const;
    /// Known end of a running job; never for others.
    double end_of(JobId id) const;
    /// Frees a part of what the job holds, or all of it.
    void free_part(JobId id, const ResourceSet& R);
    void finish(JobId id);
    void set_end(JobId id, double end);
    std::size_t running_count() const { return running_.size(); }

    /// Is anything kept from a time before `until` on?
    bool keeps_before(double until) const {
        return !starts_.empty() && starts_.begin()->first < until;
    }
    /// Resources that are free now, and not kept for anybody (save the `holder` of a reservation)
    /// before the demand would end.
    std::optional<ResourceSet> fit_now(const Demand& demand, double now,
                                       std::optional<JobId> holder = {});
    /// The earliest Slot for the demand beside all reservations, if one is known that begins before
    /// `before`. Jobs past their end count as ending at `now`.
    std::optional<Slot> earliest(const Demand& demand, double now, double before = never);
    /// An earlier Slot for the holder of a reservation.
    std::optional<Slot> earlier(JobId id, const Demand& demand, double now);
    /// May there be one? False is certain: too little was given back since the last search.
    bool may_improve(JobId id, const Demand& demand, double now) const;
    /// Does a demand that was short of so much still lack some? True is certain. For a search from
    /// the same time on, or a later one.
    bool still_short(const Shortage& shortage, const Demand& demand) const;
    /// Of the last search.
    const Shortage& shortage() const { return shortage_; }

    /// `shortage`: of the search that found the slot.
    void reserve(JobId id, Slot slot, Shortage shortage = {});
    const Slot* reservation(JobId id) const;
    /// Takes a reservation out of the plan.
    std::optional<Slot> take_reservation(JobId id);
    void drop_reservations();
    std::size_t reservation_count() const { return reservations_.size(); }
    std::vector<JobId> reservation_holders() const;

    std::uint64_t match_count() const { return match_count_; }

  private:
    struct Running {
        ResourceSet R;
        double end = never;
    };
    struct Reservation {
        Slot slot;
        Shortage shortage;  // of the last search for an earlier start
    };
    std::optional<ResourceSet> match(const MatchShape& shape, const Inventory& inventory);
    Timetable& table();
    Shortage shortage_of(const Demand& demand, std::int64_t most) const;
    void gave_back(const ResourceSet& R);

    Inventory inventory_;
    Timetable table_;
    bool tabled_ = false;  // the table is kept from the first search for a later time on
    std::unordered_map<JobId, Running> running_;
    std::unordered_map<JobId, Reservation> reservations_;
    std::set<std::pair<double, JobId>> starts_;
    Shortage shortage_;    // of the last search
    Supply given_back_;                    // in all, by ends and reservations given up
    std::uint64_t match_count_ = 0;
};

}  // namespace sluice
