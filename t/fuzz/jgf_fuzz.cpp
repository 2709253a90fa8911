// JSON Graph Format: what can be read can be written, and what is written read again.
#include "resource/search/scheduler.hpp"
#include "resource/writer/placement_writer.hpp"
#include "t/fuzz/fuzz.hpp"

SLUICE_FUZZ(text) {
    using namespace sluice;
    auto graph = std::make_unique<TypedGraph>();
    if (!read_jgf(text, *graph)) return;
    const auto scheduler = GraphScheduler::make(std::move(graph), {});
    if (!scheduler) return;
    const auto all = (*scheduler)->find("status=up or status=down");
    SLUICE_ASSERT(all && !all->empty());
    (void)(*scheduler)->attach(dump_json(placement_to_jgf((*scheduler)->graph(), *all, false)));
    (void)(*scheduler)->update(1, GraphFormat::jgf, text, 0, 10, false);
    (void)(*scheduler)->cancel(1);
    SLUICE_ASSERT((*scheduler)->ledger().vertices_in_use() == 0);
}
