// What is in use now and until when, and what is kept for jobs that wait: the inventory over time.
// A reservation names its very cores and GPUs; nothing is given out that begins or ends inside it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/strong_id.hpp"
#include "resource/inventory.hpp"
#include "resource/match/matcher.hpp"
#include "sched/node_times.hpp"
#include "sched/supply_profile.hpp"

namespace sluice {

/// Resources from `start` up to `end` (seconds since the epoch, end may be never).
struct Slot {
    double start = 0, end = never;
    ResourceSet R;
};

/// What is to be placed, and for how long (seconds, or never).
struct Demand {
    const MatchShape& shape;
    Supply least;
    double duration = never;
    double not_before = 0;                       // known not to fit earlier
    const std::vector<Word>* admitted = nullptr;  // nodes that its constraint leaves; all
};

class Plan {
  public:
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
    /// Resources that are free now, and not kept for anybody before the demand would end.
    std::optional<ResourceSet> fit_now(const Demand& demand, double now);
    /// The earliest Slot after `now` for the demand beside all reservations, if one is known that
    /// begins before `before`. Jobs past their end count as ending at `now`. For whole nodes it is
    /// the earliest; for parts of nodes it is sought with bounded effort, and a later one may come
    /// back on a plan that is cut up finely.
    std::optional<Slot> earliest(const Demand& demand, double now, double before = never);
    /// May the holder of a reservation start before it, and before `before`? False is certain.
    bool may_improve(JobId id, const Demand& demand, double now, double before);

    void reserve(JobId id, Slot slot);
    const Slot* reservation(JobId id) const;
    /// Takes a reservation out of the plan.
    std::optional<Slot> take_reservation(JobId id);
    void drop_reservations();
    std::size_t reservation_count() const { return reservations_.size(); }
    std::vector<JobId> reservation_holders() const;

    /// Changes whenever something may fit that did not before.
    std::uint64_t version() const { return version_; }
    std::uint64_t match_count() const { return match_count_; }

  private:
    struct Running {
        ResourceSet R;
        double end = never;
        Supply all;                     // what its end may add to what is free
        std::vector<NodeIndex> nodes;
    };
    struct Reservation {
        Slot slot;
        Supply whole;                   // what it surely takes of what is free
        std::vector<Word> nodes;        // as a set
    };
    /// An inventory as it will be: valid while the version is the same.
    struct View {
        std::uint64_t version = 0;
        double time = 0;
        Inventory inventory;
    };
    std::optional<ResourceSet> match(const MatchShape& shape, const Inventory& inventory);
    void refresh_profile(double now);
    bool overdue(double now) const { return !ends_.empty() && ends_.begin()->first.first <= now; }
    std::vector<NodeIndex> nodes_of(const ResourceSet& R) const;
    Supply whole_of(const ResourceSet& R) const;
    bool enough_nodes(const Demand& demand, const std::vector<Word>& idle, double time) const;
    const Inventory& free_at(double time, double now);
    std::optional<ResourceSet> match_at(const Demand& demand, double time, double now);
    std::optional<double> first_without_reservations(const Demand& demand, double after,
                                                     double before, double now);
    double last_reserved_end() const;
    void gained();

    Inventory inventory_;
    NodeTimes times_;
    std::vector<Word> up_;
    std::unordered_map<JobId, Running> running_;
    std::map<std::pair<double, JobId>, const Running*> ends_;  // of those that have one
    std::unordered_map<JobId, Reservation> reservations_;
    std::set<std::pair<double, JobId>> starts_;
    SupplyProfile profile_;
    std::uint64_t profile_version_ = 0;
    View now_view_;   // free now without what is reserved to begin before `time`
    View free_view_;  // free at `time`, reservations left aside
    Inventory window_;
    std::uint64_t version_ = 1;
    std::uint64_t running_version_ = 1;  // the same without reservations
    std::uint64_t match_count_ = 0;
};

}  // namespace sluice
