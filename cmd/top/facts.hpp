// Asks an instance for what `flux top` shows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/rpc/handle.hpp"
#include "cmd/top/screen.hpp"

namespace sluice {

struct TopFacts {
    TopSummary summary;
    std::vector<TopJob> jobs;
    std::vector<std::string> uris;  // of each job, "" when it is no instance
};

/// `queue`: only jobs and resources of this queue. Errors: as the services send; EINVAL for a queue
/// that is not there.
Result<TopFacts> load_top_facts(Handle& flux, const std::optional<std::string>& queue);

}  // namespace sluice
