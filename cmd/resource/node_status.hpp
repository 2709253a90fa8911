// The administrator's view of the nodes, for flux resource status and flux resource drain: each
// node is in one set per state word, with the reason and time of its drain.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/rfc/idset.hpp"
#include "base/rfc/resource_set.hpp"
#include "base/rpc/handle.hpp"
#include "cmd/format/output_format.hpp"
#include "cmd/resource/resource_sets.hpp"

namespace sluice {

struct NodeStatus {
    struct Drain {
        Idset ranks;
        double timestamp = 0;
        std::string reason;
    };
    ResourceSet R;
    Idset online, offline, exclude, torpid, allocated, housekeeping;
    std::vector<Drain> drains;

    Idset drained_ranks() const;
    /// Ranks in one of `node_states()`; "drained" and "draining" differ by what is allocated.
    Idset in_state(std::string_view state) const;
};

/// "all,online,avail,…", the words for -s.
const std::vector<std::string>& node_states();
/// Errors: EINVAL "Invalid resource state X specified".
Result<void> check_node_states(const std::vector<std::string>& states);

Result<NodeStatus> load_node_status(Handle& flux, const RankFilter& filter);

/// One line of output.
struct StatusLine {
    std::string state, reason;
    bool online = true, colour = false;
    double timestamp = 0;
    Idset ranks;
    Hostlist hosts;
};
std::optional<std::string> status_heading(std::string_view field);
FieldValue status_field(const StatusLine& line, std::string_view field);

struct LineOptions {
    std::vector<std::string> states;
    bool skip_empty = true, colour = false;
};
/// Lines for the states, split by what `format` shows of online, reason and time.
std::vector<StatusLine> status_lines(const NodeStatus& status, const OutputFormat& format,
                                     const LineOptions& options);

}  // namespace sluice
