// The process table of a job.
#include "base/proctable.hpp"
#include "t/fuzz/fuzz.hpp"

SLUICE_FUZZ(text) {
    using namespace sluice;
    const auto json = parse_json_object(text);
    if (!json) return;
    const auto table = decode_proctable(*json);
    if (table) fuzz::expect_same(*table, decode_proctable(encode_proctable(*table)));
}
