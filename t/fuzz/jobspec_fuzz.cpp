// RFC 14, 15, 25 - jobspec, plain and inside a J.
#include "base/rfc/jobspec.hpp"
#include "t/fuzz/fuzz.hpp"

SLUICE_FUZZ(text) {
    using namespace sluice;
    (void)unwrap_signed(text);
    const auto unwrapped = unwrap_signed(sign_none(text, UserId{1000}));
    SLUICE_ASSERT(unwrapped && unwrapped->jobspec == text);
    const auto jobspec = Jobspec::parse(text);
    if (!jobspec) return;
    SLUICE_ASSERT(!jobspec->command.empty() && jobspec->request.slots > 0);
    SLUICE_ASSERT(jobspec->task_count(1, jobspec->request.cores()) > 0);
    const auto again = Jobspec::parse(dump_json(jobspec->json));
    SLUICE_ASSERT(again);
    SLUICE_ASSERT(again->request == jobspec->request && again->tasks == jobspec->tasks);
    SLUICE_ASSERT(again->command == jobspec->command && again->name() == jobspec->name());
}
