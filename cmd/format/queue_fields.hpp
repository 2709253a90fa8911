// Fields of `flux queue list`: limits from the configuration (RFC 33), states from the job manager,
// resource counts from the scheduler.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "cmd/format/format_spec.hpp"

namespace sluice {

struct ResourceCounts {
    std::int64_t nnodes = 0, ncores = 0, ngpus = 0;
    friend bool operator==(const ResourceCounts&, const ResourceCounts&) = default;
};

/// One row.
struct QueueRow {
    std::string name;  // empty: the anonymous queue
    bool enabled = false, started = false, colour = false;
    ResourceCounts all, up, down, allocated, free;
    JsonObject config;  // the instance's whole configuration
};

/// Names of the queues in the configuration.
std::vector<std::string> configured_queues(const JsonObject& config);
/// queues.<name>.requires: the properties a node of the queue has.
std::vector<std::string> queue_requires(const JsonObject& config, const std::string& name);

std::optional<std::string> queue_heading(std::string_view field);
FieldValue queue_field(const QueueRow& queue, std::string_view field);

}  // namespace sluice
