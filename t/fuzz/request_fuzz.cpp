// RFC 14 - jobspecs of the general form, matched in a small machine of R.
#include "resource/search/scheduler.hpp"
#include "t/fuzz/fuzz.hpp"

SLUICE_FUZZ(text) {
    using namespace sluice;
    const auto json = parse_json_object(text);
    if (!json) return;
    const auto request = JobRequest::from_json(*json);
    if (!request) return;
    for (const bool flexible : {false, true}) {
        GraphScheduler::Options options;
        options.flexible = flexible;
        auto machine = std::make_unique<TypedGraph>();
        SLUICE_ASSERT(read_rv1(R"({"version":1,"execution":{"R_lite":[{"rank":"0-1","children":)"
                               R"({"core":"0-3","gpu":"0"}}],"nodelist":["n[0-1]"]}})", *machine));
        const auto scheduler = *GraphScheduler::make(std::move(machine), options);
        const auto answer = scheduler->match(*request, MatchOp::allocate_orelse_reserve, 1);
        if (answer && answer->kind == MatchAnswer::Kind::matched)
            SLUICE_ASSERT(scheduler->cancel(1));
        SLUICE_ASSERT(scheduler->ledger().vertices_in_use() == 0);
    }
}
