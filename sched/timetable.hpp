// Who uses which part of which node when: what jobs hold until they end, and what is kept for jobs
// that wait. Nodes of one topology whose use is the same share a row, so a search looks at as many
// rows as there are kinds of use, not at every node.
//
// A use overlaps the time from t to t + duration when it begins before t + duration and ends after
// t; seen from t these are open intervals, and searching is a walk over their borders.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/rfc/idset.hpp"
#include "base/strong_id.hpp"
#include "resource/inventory.hpp"
#include "resource/match/matcher.hpp"
#include "sched/supply.hpp"

namespace sluice {

using NodeIndex = std::uint32_t;  // position in the inventory

/// Resources from `start` up to `end` (seconds since the epoch, end may be never).
struct Slot {
    double start = 0, end = never;
    ResourceSet R;
};

class Timetable {
  public:
    static constexpr double running = -never;  // start of what a job holds already

    /// All nodes of the inventory, up or down as it says, and no use of any. Lifetime: the
    /// inventory outlives the timetable or the next reset().
    void reset(const Inventory& inventory);
    void set_up(NodeIndex node, bool up);
    /// Adds a use. Ranks and ids that do not exist are passed over.
    void add(JobId holder, const ResourceSet& R, double start, double end);
    /// Removes it; R as it was added.
    void remove(JobId holder, const ResourceSet& R);
    /// Kinds of use.
    std::size_t row_count() const { return rows_.size() - spare_.size(); }

    struct Query {
        const MatchShape& shape;
        double duration = never;
        std::optional<JobId> without;  // whose use does not count
    };
    struct Fit {
        std::optional<ResourceSet> R;
        std::int64_t most = 0;  // nodes or slots that are to be had
    };
    /// What the query gets at `now`; what jobs hold counts also past its end.
    Fit fit_now(const Query& query, double now);
    struct Earliest {
        std::optional<Slot> slot;
        std::int64_t most = 0;  // nodes or slots that were to be had at a time before that
    };
    /// The first slot that begins at `from` or later, and before `before`.
    Earliest earliest(const Query& query, double from, double before);

  private:
    struct Use {
        JobId holder;
        double start, end;
        bool whole;  // all of the node
        friend bool operator==(const Use&, const Use&) = default;
    };
    struct Row {
        const NodeTopology* topology = nullptr;
        bool up = false;
        std::vector<Use> uses;     // by start, then holder
        std::vector<Word> masks;   // of each use: words of cores, then of GPUs
        Idset nodes;
        std::size_t node_count = 0;
        std::uint64_t hash = 0;
        std::size_t stride() const { return core_words() + words_for(topology->gpus.size()); }
        std::size_t core_words() const { return words_for(topology->cores.size()); }
        std::span<const Word> mask(std::size_t use) const {
            return {masks.data() + use * stride(), stride()};
        }
        bool same_use(const Row& other) const;
        NodeRoom room_beside(std::span<const Word> busy, bool idle) const;
    };
    using RowId = std::uint32_t;
    struct Event {
        double time;
        bool after;          // counts from just after `time`, else from `time` on
        std::int64_t delta;  // nodes or slots
        bool operator<(const Event& other) const {
            return std::pair{time, after} < std::pair{other.time, other.after};
        }
    };
    struct Interval {
        double after, until;  // the use is in the way of a start between these
        std::uint32_t use;
    };
    struct Candidate {
        const Row* row;
        std::uint64_t units;     // of each node
        std::vector<Word> free;  // words of cores, then of GPUs; once asked for
    };
    enum class When : std::uint8_t { now, later };
    struct Moment {
        double time;
        When when;
    };

    RowId new_row();
    void settle(RowId id);
    void unlist(RowId id);
    void move_nodes(RowId from, RowId to);
    void add_use(RowId id, const Use& use, std::span<const Word> mask);
    std::vector<Word> part_mask(const ResourceSet::Node& part, NodeIndex node) const;
    static std::uint64_t hash_of(const Row& row);

    std::size_t admitted_in(const Row& row, const MatchShape& shape) const;
    void sweep_row(const Row& row, const Query& query, double from, double before,
                   std::int64_t& total);
    void sweep_whole(double from, double before, std::int64_t full, std::int64_t& total);
    void sweep_parts(const Row& row, const Query& query, double from, double before,
                     std::int64_t nodes, std::int64_t& total);
    std::int64_t units_beside(const Row& row, const MatchShape& shape, double time, bool after);
    static bool in_the_way(const Use& use, const Query& query, Moment moment);
    std::uint64_t units_at(const Row& row, const Query& query, Moment moment);
    std::vector<Word> free_at(const Row& row, const Query& query, Moment moment) const;
    Fit fit(const Query& query, Moment moment);
    static bool keep_chosen(const MatchShape& shape, std::vector<NodeUnits>& offers,
                            std::vector<Candidate*>& offered_by);
    std::optional<ResourceSet> choose(const Query& query, Moment moment,
                                      std::vector<Candidate> candidates) const;

    const Inventory* inventory_ = nullptr;
    std::vector<Row> rows_;
    std::vector<RowId> spare_;
    std::vector<RowId> row_of_node_;
    std::unordered_multimap<std::uint64_t, RowId> by_hash_;
    std::vector<Event> events_;        // of the search under way, like the next two
    std::vector<Interval> intervals_;
    std::vector<Word> busy_;
};

}  // namespace sluice
