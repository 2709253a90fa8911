// JSON: what was read is written as text that reads back as the same value.
#include "base/json.hpp"
#include "t/fuzz/fuzz.hpp"

SLUICE_FUZZ(text) {
    using namespace sluice;
    const auto value = parse_json(text);
    if (!value) return;
    fuzz::expect_same(*value, parse_json(dump_json(*value)));
    fuzz::expect_same(*value, parse_json(dump_json_spaced(*value)));
    fuzz::expect_same(*value, parse_json(dump_json_pretty(*value, 2)));
}
