// RFC 3 - Flux messages: parts, the PROTO frame, and the stream framing of local sockets.
// Where RFC 3 and stock clients differ we follow clients: no NUL after route and topic parts; the
// stream magic is in host order; the stream length does not count its own 8 bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/strong_id.hpp"

namespace sluice {

enum class MessageType : std::uint8_t { request = 1, response = 2, event = 4, control = 8 };

namespace message_flag {
inline constexpr std::uint8_t topic = 0x01, payload = 0x02, noresponse = 0x04, route = 0x08,
                              upstream = 0x10, private_ = 0x20, streaming = 0x40, user1 = 0x80;
}

namespace role {  // RFC 12
inline constexpr std::uint32_t none = 0, owner = 1, user = 2, local = 4, admin = 8;
}

using Matchtag = std::uint32_t;

inline constexpr std::uint32_t nodeid_any = 0xFFFFFFFFu;
inline constexpr std::size_t proto_bytes = 20;
inline constexpr std::size_t frame_header_bytes = 8;
/// The largest message accepted from a stream; larger ones end the connection.
inline constexpr std::size_t message_bytes_max = std::size_t{1} << 30;

struct Credential {
    UserId userid = userid_unknown;
    std::uint32_t rolemask = role::none;
    bool privileged() const { return rolemask & (role::owner | role::admin); }
    friend bool operator==(const Credential&, const Credential&) = default;
};

/// Payload bytes, immutable and shared between the copies of a message that a fan-out makes.
/// JSON and string payloads include their final NUL.
using Payload = std::shared_ptr<const std::string>;

struct Message {
    MessageType type = MessageType::request;
    std::uint8_t flags = 0;  // topic and payload bits are derived when encoding
    Credential cred;
    std::uint32_t aux1 = 0;  // nodeid, errnum, event sequence or control type
    std::uint32_t aux2 = 0;  // matchtag or control status
    std::vector<std::string> routes;  // first pushed (the client) first; back() was pushed last
    std::string topic;
    Payload payload;

    std::uint32_t nodeid() const { return aux1; }
    std::uint32_t errnum() const { return aux1; }
    std::uint32_t sequence() const { return aux1; }
    std::uint32_t matchtag() const { return aux2; }
    bool has(std::uint8_t flag) const { return flags & flag; }
    /// The topic's service: all before the first dot (RFC 6).
    std::string_view service() const;
    /// The topic's method: all after the first dot, or empty.
    std::string_view method() const;
    /// Payload without its final NUL, if it has one; empty without payload.
    std::string_view text() const;
    std::string_view bytes() const { return payload ? std::string_view{*payload} : ""; }

    void set_json(const JsonObject& object);
    void set_text(std::string_view text);  // adds the NUL
    void set_bytes(std::string bytes);     // as they are; empty means no payload

    static Message request(std::string topic, std::uint32_t nodeid = nodeid_any);
    static Message event(std::string topic);
    /// The answer to `request` (RFC 6): its topic, matchtag, routes and flags, without payload.
    static Message response(const Message& request, int errnum = 0);
};

/// Appends the parts of `message`, RFC 3 order, to `parts`; PROTO is the last.
void encode_parts(const Message& message, std::vector<std::string>& parts);
/// A message from its parts.
/// Errors: EPROTO for a bad PROTO frame, missing delimiter, or flags that contradict the parts.
Result<Message> decode_parts(std::span<const std::string_view> parts);

/// The message in stream form: 8-byte header, then length-prefixed parts.
std::string encode_frame(const Message& message);
void append_frame(const Message& message, std::string& out);

struct Frame {
    std::string_view body;      // a view into the input
    std::size_t bytes_used = 0; // header included
};
/// Next frame at the head of `in`, or nullopt if more bytes are needed.
/// Errors: EPROTO bad magic, EMSGSIZE over message_bytes_max.
Result<std::optional<Frame>> next_frame(std::string_view in);
/// The message in a frame's body. Errors: EPROTO.
Result<Message> decode_body(std::string_view body);

}  // namespace sluice
