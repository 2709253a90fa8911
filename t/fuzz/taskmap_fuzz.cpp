// RFC 34 - taskmaps: all forms of a map say the same about every task.
#include "base/rfc/taskmap.hpp"
#include "t/fuzz/fuzz.hpp"

SLUICE_FUZZ(text) {
    using namespace sluice;
    const auto map = Taskmap::parse(text);
    if (!map) return;
    fuzz::expect_same(*map, Taskmap::parse(map->to_string()));
    fuzz::expect_same(*map, Taskmap::from_json(Json(map->to_wrapped_json())));
    if (map->unknown() || map->task_count() > 1024 || map->node_count() > 1024) return;
    const auto from_pmi = Taskmap::parse(map->to_pmi());
    SLUICE_ASSERT(from_pmi);
    std::vector<Idset> ids(map->node_count());
    for (std::uint32_t nodeid = 0; nodeid < ids.size(); ++nodeid) {
        ids[nodeid] = map->task_ids(nodeid);
        SLUICE_ASSERT(from_pmi->task_ids(nodeid) == ids[nodeid]);
        for (const std::uint32_t task : ids[nodeid]) SLUICE_ASSERT(*map->nodeid(task) == nodeid);
    }
    const auto from_ids = Taskmap::from_ids(ids);
    SLUICE_ASSERT(from_ids && from_ids->task_count() == map->task_count());
}
