// RFC 3 - see message.hpp.
#include "base/rfc/message.hpp"

#include <arpa/inet.h>

#include <array>
#include <cstring>

namespace sluice {
namespace {

constexpr unsigned char proto_magic = 0x8E;
constexpr unsigned char proto_version = 0x01;
constexpr std::uint32_t stream_magic = 0xFFEE0012;  // stored in host order
constexpr std::size_t parts_max = 4096;

void store_be32(char* to, std::uint32_t value) {
    value = htonl(value);
    std::memcpy(to, &value, 4);
}

std::uint32_t load_be32(const char* from) {
    std::uint32_t value;
    std::memcpy(&value, from, 4);
    return ntohl(value);
}

std::uint8_t wire_flags(const Message& message) {
    std::uint8_t flags = message.flags & ~message_flag::payload;
    if (!message.topic.empty()) flags |= message_flag::topic;
    if (message.payload) flags |= message_flag::payload;
    return flags;
}

std::array<char, proto_bytes> encode_proto(const Message& message) {
    std::array<char, proto_bytes> proto{};
    proto[0] = static_cast<char>(proto_magic);
    proto[1] = proto_version;
    proto[2] = static_cast<char>(message.type);
    proto[3] = static_cast<char>(wire_flags(message));
    store_be32(&proto[4], message.cred.userid.value);
    store_be32(&proto[8], message.cred.rolemask);
    store_be32(&proto[12], message.aux1);
    store_be32(&proto[16], message.aux2);
    return proto;
}

/// Calls `emit(part)` for each part in RFC 3 order.
template <class Emit>
void each_part(const Message& message, Emit emit) {
    if (message.has(message_flag::route)) {
        for (auto route = message.routes.rbegin(); route != message.routes.rend(); ++route)
            emit(std::string_view{*route});
        emit(std::string_view{});
    }
    // A topic may be empty and yet be there: an answer has what its request had.
    if (wire_flags(message) & message_flag::topic) emit(std::string_view{message.topic});
    if (message.payload) emit(std::string_view{*message.payload});
    const auto proto = encode_proto(message);
    emit(std::string_view{proto.data(), proto.size()});
}

std::size_t part_bytes(std::string_view part) {
    return part.size() + (part.size() < 255 ? 1 : 5);
}

Result<void> decode_proto(std::string_view proto, Message& message) {
    if (proto.size() != proto_bytes)
        return fail(EPROTO, "message: PROTO frame of {} bytes, expected {}", proto.size(),
                    proto_bytes);
    if (static_cast<unsigned char>(proto[0]) != proto_magic || proto[1] != proto_version)
        return fail(EPROTO, "message: PROTO frame has magic {:02x} version {}, expected 8e and 1",
                    static_cast<unsigned char>(proto[0]), int{proto[1]});
    switch (proto[2]) {
        case 1: case 2: case 4: case 8: break;
        default: return fail(EPROTO, "message: unknown type {}", int{proto[2]});
    }
    message.type = static_cast<MessageType>(proto[2]);
    message.flags = static_cast<std::uint8_t>(proto[3]);
    if (message.has(message_flag::noresponse) && message.has(message_flag::streaming))
        return fail(EPROTO, "message: NORESPONSE and STREAMING flags exclude each other");
    message.cred.userid = UserId{load_be32(&proto[4])};
    message.cred.rolemask = load_be32(&proto[8]);
    message.aux1 = load_be32(&proto[12]);
    message.aux2 = load_be32(&proto[16]);
    return {};
}

}  // namespace

std::string_view Message::service() const {
    return std::string_view{topic}.substr(0, topic.find('.'));
}

std::string_view Message::method() const {
    const std::size_t dot = topic.find('.');
    return dot == std::string::npos ? std::string_view{} : std::string_view{topic}.substr(dot + 1);
}

std::string_view Message::text() const {
    std::string_view view = bytes();
    if (!view.empty() && view.back() == '\0') view.remove_suffix(1);
    return view;
}

void Message::set_json(const JsonObject& object) {
    std::string text = dump_json(object);
    text.push_back('\0');
    payload = std::make_shared<const std::string>(std::move(text));
}

void Message::set_text(std::string_view text) {
    std::string copy{text};
    copy.push_back('\0');
    payload = std::make_shared<const std::string>(std::move(copy));
}

void Message::set_bytes(std::string bytes) {
    payload = bytes.empty() ? nullptr : std::make_shared<const std::string>(std::move(bytes));
}

Message Message::request(std::string topic, std::uint32_t nodeid) {
    Message message;
    message.flags = message_flag::route;
    message.aux1 = nodeid;
    message.topic = std::move(topic);
    return message;
}

Message Message::event(std::string topic) {
    Message message;
    message.type = MessageType::event;
    message.flags = message_flag::route;
    message.topic = std::move(topic);
    return message;
}

Message Message::response(const Message& request, int errnum) {
    Message message;
    message.type = MessageType::response;
    message.flags = request.flags & ~message_flag::payload;
    message.aux1 = static_cast<std::uint32_t>(errnum);
    message.aux2 = request.aux2;
    message.routes = request.routes;
    message.topic = request.topic;
    return message;
}

void encode_parts(const Message& message, std::vector<std::string>& parts) {
    each_part(message, [&](std::string_view part) { parts.emplace_back(part); });
}

Result<Message> decode_parts(std::span<const std::string_view> parts) {
    Message message;
    if (parts.empty()) return fail(EPROTO, "message: no PROTO frame");
    SLUICE_CHECK(decode_proto(parts.back(), message));
    parts = parts.first(parts.size() - 1);
    if (message.has(message_flag::route)) {
        std::size_t delimiter = 0;
        while (delimiter < parts.size() && !parts[delimiter].empty()) ++delimiter;
        if (delimiter == parts.size()) return fail(EPROTO, "message: no route delimiter");
        message.routes.reserve(delimiter + 2);
        for (std::size_t i = delimiter; i-- > 0;) message.routes.emplace_back(parts[i]);
        parts = parts.subspan(delimiter + 1);
    }
    if (message.has(message_flag::topic)) {
        if (parts.empty()) return fail(EPROTO, "message: topic flag without a topic part");
        std::string_view topic = parts.front();
        if (!topic.empty() && topic.back() == '\0') topic.remove_suffix(1);
        if (topic.find('\0') != std::string_view::npos)
            return fail(EPROTO, "message: NUL inside the topic");
        message.topic = topic;
        parts = parts.subspan(1);
    }
    if (message.has(message_flag::payload)) {
        if (parts.empty()) return fail(EPROTO, "message: payload flag without a payload part");
        message.payload = std::make_shared<const std::string>(parts.front());
        parts = parts.subspan(1);
    }
    if (!parts.empty()) return fail(EPROTO, "message: {} parts too many", parts.size());
    return message;
}

void append_frame(const Message& message, std::string& out) {
    std::size_t size = 0;
    each_part(message, [&](std::string_view part) { size += part_bytes(part); });
    out.reserve(out.size() + frame_header_bytes + size);
    char header[frame_header_bytes];
    std::memcpy(header, &stream_magic, 4);
    store_be32(header + 4, static_cast<std::uint32_t>(size));
    out.append(header, sizeof header);
    each_part(message, [&](std::string_view part) {
        if (part.size() < 255) {
            out += static_cast<char>(part.size());
        } else {
            char length[5] = {static_cast<char>(0xFF)};
            store_be32(length + 1, static_cast<std::uint32_t>(part.size()));
            out.append(length, sizeof length);
        }
        out += part;
    });
}

std::string encode_frame(const Message& message) {
    std::string out;
    append_frame(message, out);
    return out;
}

Result<std::optional<Frame>> next_frame(std::string_view in) {
    if (in.size() < frame_header_bytes) return std::optional<Frame>{};
    std::uint32_t magic;
    std::memcpy(&magic, in.data(), 4);
    if (magic != stream_magic)
        return fail(EPROTO, "local socket: not a Flux frame; connect with a Flux client");
    const std::size_t size = load_be32(in.data() + 4);
    if (size > message_bytes_max)
        return fail(EMSGSIZE, "local socket: message of {} bytes, limit {}; use the KVS", size,
                    message_bytes_max);
    if (in.size() - frame_header_bytes < size) return std::optional<Frame>{};
    return std::optional<Frame>{
        Frame{in.substr(frame_header_bytes, size), frame_header_bytes + size}};
}

Result<Message> decode_body(std::string_view body) {
    std::vector<std::string_view> parts;
    while (!body.empty()) {
        std::size_t size = static_cast<unsigned char>(body.front());
        body.remove_prefix(1);
        if (size == 255) {
            if (body.size() < 4) return fail(EPROTO, "message: cut inside a part's length");
            size = load_be32(body.data());
            body.remove_prefix(4);
        }
        if (size > body.size())
            return fail(EPROTO, "message: part of {} bytes, {} left", size, body.size());
        if (parts.size() == parts_max) return fail(EPROTO, "message: over {} parts", parts_max);
        parts.push_back(body.substr(0, size));
        body.remove_prefix(size);
    }
    return decode_parts(parts);
}

}  // namespace sluice
