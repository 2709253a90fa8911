#include "sched/supply.hpp"

namespace sluice {

Supply least_of(const ResourceRequest& request, bool exclusive) {
    Supply least{0, static_cast<std::int64_t>(request.cores()),
                 static_cast<std::int64_t>(request.gpus())};
    if (exclusive) least.nodes = request.nodes ? request.nodes : 1;
    return least;
}

Supply amount_of(const ResourceSet& R) {
    return {static_cast<std::int64_t>(R.node_count()), static_cast<std::int64_t>(R.core_count()),
            static_cast<std::int64_t>(R.gpu_count())};
}

}  // namespace sluice
