// RFC 34 - taskmaps: which task runs on which node, as [[nodeid,nnodes,ppn,repeat],…].
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/rfc/idset.hpp"

namespace sluice {

class Taskmap {
  public:
    struct Block {
        std::uint32_t nodeid, nnodes, ppn, repeat;
        friend bool operator==(const Block&, const Block&) = default;
    };
    Taskmap() = default;  // the unknown map "[]"
    /// Task ids in block order: node 0 gets the first counts[0] tasks, and so on.
    static Taskmap block(const std::vector<std::uint32_t>& counts);
    /// `stride` consecutive tasks per node and turn until each node has counts[i] tasks.
    static Taskmap cyclic(const std::vector<std::uint32_t>& counts, std::uint32_t stride = 1);
    /// From the task ids of each node, node 0 first.
    static Result<Taskmap> from_ids(const std::vector<Idset>& ids_by_node);
    /// Raw "[[0,4,4,1]]", wrapped {"version":1,"map":…}, or PMI "(vector,(0,4,4))".
    static Result<Taskmap> parse(std::string_view text);
    static Result<Taskmap> from_json(const Json& value);

    const std::vector<Block>& blocks() const { return blocks_; }
    JsonArray to_json() const;           // the raw array
    JsonObject to_wrapped_json() const;  // {"version":1,"map":[…]}
    std::string to_string() const;       // raw, compact
    std::string to_pmi() const;          // "(vector,(0,4,4))"

    bool unknown() const { return blocks_.empty(); }
    std::uint32_t node_count() const;
    std::uint32_t task_count() const;
    Idset task_ids(std::uint32_t nodeid) const;
    /// Node of a task. Errors: ENOENT.
    Result<std::uint32_t> nodeid(std::uint32_t taskid) const;
    friend bool operator==(const Taskmap&, const Taskmap&) = default;

  private:
    std::vector<Block> blocks_;
};

}  // namespace sluice
