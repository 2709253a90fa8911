// The launch path: what exec manager, launchers and shells tell each other.
#include "broker/exec/protocol.hpp"
#include "t/fuzz/fuzz.hpp"

SLUICE_FUZZ(text) {
    using namespace sluice;
    using namespace sluice::exec;
    const auto json = parse_json_object(text);
    if (!json) return;
    if (const auto report = decode_report(*json))
        fuzz::expect_same(*report, decode_report(encode_report(*report)));
    if (const auto kill = decode_kill(*json))
        fuzz::expect_same(*kill, decode_kill(encode_kill(*kill)));
    if (const auto jobs = decode_launch(*json))
        SLUICE_ASSERT(decode_launch(encode_launch(*jobs))->size() == jobs->size());
    (void)decode_append(*json);
}
