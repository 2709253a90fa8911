// GRUG recipes: what can be read is a graph that can be matched in.
#include "resource/search/scheduler.hpp"
#include "t/fuzz/fuzz.hpp"

SLUICE_FUZZ(text) {
    using namespace sluice;
    auto graph = std::make_unique<TypedGraph>();
    if (!read_grug(text, *graph) || !graph->root(containment)) return;
    SLUICE_ASSERT(graph->vertex_count() > 0);
    (void)GraphScheduler::make(std::move(graph), {});
}
