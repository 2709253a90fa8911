// RFC 3 - frames of a local socket: whatever decodes has one encoding that decodes to the same.
#include "base/rfc/message.hpp"
#include "t/fuzz/fuzz.hpp"

SLUICE_FUZZ(text) {
    using namespace sluice;
    if (const auto frame = next_frame(text); frame && *frame)
        SLUICE_ASSERT((*frame)->bytes_used <= text.size());
    const auto message = decode_body(text);
    if (!message) return;
    const std::string bytes = encode_frame(*message);
    const auto frame = next_frame(bytes);
    SLUICE_ASSERT(frame && *frame && (*frame)->bytes_used == bytes.size());
    const auto again = decode_body((*frame)->body);
    SLUICE_ASSERT(again);
    SLUICE_ASSERT(again->topic == message->topic && again->bytes() == message->bytes());
    SLUICE_ASSERT(again->routes == message->routes && again->cred == message->cred);
    SLUICE_ASSERT(again->aux1 == message->aux1 && again->aux2 == message->aux2);
    SLUICE_ASSERT(encode_frame(*again) == bytes);
}
