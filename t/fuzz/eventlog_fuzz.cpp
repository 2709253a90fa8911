// RFC 18 - eventlogs: every event that decodes round-trips as a line and as JSON.
#include "base/rfc/eventlog.hpp"
#include "t/fuzz/fuzz.hpp"

SLUICE_FUZZ(text) {
    using namespace sluice;
    const auto events = decode_eventlog(text);
    if (!events) return;
    std::string log;
    for (const Event& event : *events) {
        fuzz::expect_same(event, event_from_json(event_to_json(event)));
        log += encode_event(event);
    }
    fuzz::expect_same(*events, decode_eventlog(log));
}
