// Nodes, cores and GPUs as numbers: the least that a request takes, against what is free.
#pragma once

#include <cstdint>
#include <limits>

#include "base/rfc/jobspec.hpp"
#include "base/rfc/resource_set.hpp"

namespace sluice {

inline constexpr double never = std::numeric_limits<double>::infinity();

struct Supply {
    std::int64_t nodes = 0;  // idle ones
    std::int64_t cores = 0, gpus = 0;

    Supply& operator+=(const Supply& other) {
        nodes += other.nodes;
        cores += other.cores;
        gpus += other.gpus;
        return *this;
    }
    Supply operator-(const Supply& other) const {
        return {nodes - other.nodes, cores - other.cores, gpus - other.gpus};
    }
    bool covers(const Supply& need) const {
        return nodes >= need.nodes && cores >= need.cores && gpus >= need.gpus;
    }
    friend bool operator==(const Supply&, const Supply&) = default;
};

/// The least that a request takes. `exclusive`: whole nodes, asked for or not.
Supply least_of(const ResourceRequest& request, bool exclusive);
/// All of R; `nodes` counts those of which it has any part.
Supply amount_of(const ResourceSet& R);

}  // namespace sluice
