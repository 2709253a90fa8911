// The compressed process table that a shell answers `proctable` with: lists of hosts, task ranks
// and process ids, where consecutive and repeated numbers are folded.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"

namespace sluice {

struct TaskProcess {
    std::string host;
    std::int64_t pid = 0, rank = 0;
    friend bool operator==(const TaskProcess&, const TaskProcess&) = default;
};

/// Numbers: the first element is a value, later ones are differences to the number before;
/// [x, n] is x and the n numbers after it, [x, -n] is x and n repetitions.
/// Errors: EPROTO.
Result<std::vector<std::int64_t>> decode_rangelist(const Json& list);
/// Words with numeric suffixes: [["node",[[2,1]]]] is node2 and node3; suffix -1 is none.
Result<std::vector<std::string>> decode_names(const Json& list);
/// One entry a task. Errors: EPROTO when the lists differ in length.
Result<std::vector<TaskProcess>> decode_proctable(const JsonObject& table);

}  // namespace sluice
