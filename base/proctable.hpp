// The process table of a job as its shells give it (`<uid>-shell-<id>.proctable`): lists of hosts,
// programs, task ids, process ids and broker ranks, with consecutive and repeated numbers folded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"

namespace sluice {

struct TaskProcess {
    std::string host;
    std::int64_t pid = 0, rank = 0;  // rank: of the task
    std::int64_t broker_rank = 0;
    std::string executable;
    friend bool operator==(const TaskProcess&, const TaskProcess&) = default;
};

/// Numbers: the first element is a value, later ones are differences to the number before;
/// [x, n] is x and the n numbers after it, [x, -n] is x and n repetitions.
JsonArray encode_rangelist(const std::vector<std::int64_t>& numbers);
/// Errors: EPROTO.
Result<std::vector<std::int64_t>> decode_rangelist(const Json& list);

/// Words with numeric suffixes: [["node",[[2,1]]]] is node2 and node3; suffix -1 is none. Leading
/// zeros of a suffix belong to the word.
JsonArray encode_names(const std::vector<std::string>& names);
/// Errors: EPROTO.
Result<std::vector<std::string>> decode_names(const Json& list);

JsonObject encode_proctable(const std::vector<TaskProcess>& tasks);
/// One entry a task. Errors: EPROTO when a list is missing or the lists differ in length.
Result<std::vector<TaskProcess>> decode_proctable(const JsonObject& table);

}  // namespace sluice
