// RFC 24 - encoded output.
#include "base/rfc/io_data.hpp"
#include "t/fuzz/fuzz.hpp"

SLUICE_FUZZ(text) {
    using namespace sluice;
    const IoData raw{
        .stream = "stdout", .rank = "0", .data = std::string{text}, .eof = text.empty()};
    fuzz::expect_same(raw, decode_io(encode_io(raw)));
    const auto json = parse_json_object(text);
    if (!json) return;
    const auto io = decode_io(*json);
    if (io) fuzz::expect_same(*io, decode_io(encode_io(*io)));
}
