#include "base/rfc/io_data.hpp"

#include "base/base64.hpp"

namespace sluice {
namespace {

/// Length of the UTF-8 character at the head of `bytes`, 0 when it is not one.
std::size_t character_bytes(std::string_view bytes) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
    const unsigned char first = byte(0);
    const std::size_t size = first < 0x80                    ? 1
                             : first >= 0xC2 && first < 0xE0 ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
    if (size == 0 || bytes.size() < size) return 0;
    for (std::size_t i = 1; i < size; ++i)
        if ((byte(i) & 0xC0) != 0x80) return 0;
    if (size == 3 && ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) >= 0xA0)))
        return 0;
    if (size == 4 && ((first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) >= 0x90)))
        return 0;
    return size;
}

}  // namespace

bool is_utf8(std::string_view bytes) {
    while (!bytes.empty()) {
        const std::size_t size = character_bytes(bytes);
        if (size == 0) return false;
        bytes.remove_prefix(size);
    }
    return true;
}

JsonObject encode_io(const IoData& io) {
    JsonObject object{{"stream", io.stream}, {"rank", io.rank}};
    if (!io.data.empty() || !io.eof) {  // one of them must be there
        const bool text = is_utf8(io.data);
        if (!text) object["encoding"] = "base64";
        object["data"] = text ? io.data : base64_encode(io.data);
    }
    if (io.eof) object["eof"] = true;
    return object;
}

Result<IoData> decode_io(const JsonObject& object) {
    JsonReader in{object};
    IoData io{.stream = in.string("stream"), .rank = in.string("rank")};
    const auto data = in.maybe_string("data");
    const std::string encoding = in.string_or("encoding", "UTF-8");
    io.eof = in.boolean_or("eof", false);
    if (!in) return in.error();
    if (!data && !io.eof) return fail(EPROTO, "io object has neither data nor eof");
    if (!data) return io;
    if (encoding == "base64") {
        auto bytes = base64_decode(*data);
        if (!bytes) return fail(EPROTO, "io object: {}", bytes.error().text());
        io.data = *std::move(bytes);
    } else if (encoding == "UTF-8") {
        io.data = *data;
    } else {
        return fail(EPROTO, "io object: encoding '{}' is not UTF-8 or base64", encoding);
    }
    return io;
}

}  // namespace sluice
