// RFC 24 - Encoded output: {stream, rank, data?, encoding?, eof?}, as rexec, shells and their
// clients exchange standard streams. Data is text, or base64 when it is not valid UTF-8. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/json.hpp"
#include "base/result.hpp"

namespace sluice {

struct IoData {
    std::string stream;  // "stdout", "stderr", "stdin", a channel
    std::string rank;    // an idset in text form, or "all"
    std::string data;    // bytes
    bool eof = false;
    friend bool operator==(const IoData&, const IoData&) = default;
};

JsonObject encode_io(const IoData& io);
/// Errors: EPROTO for missing keys or a bad encoding, or when there is neither data nor eof.
Result<IoData> decode_io(const JsonObject& object);
/// Whether `bytes` are valid UTF-8 (no overlong forms, no surrogates).
bool is_utf8(std::string_view bytes);

}  // namespace sluice
