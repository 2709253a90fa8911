// How a broker joins its parent (overlay.hello; wire.md 1.6): what the child does next, and what
// the parent demands. Pure.
//
//   connected -> SendHello -> reply: Joined
//                          -> refused for good (EPERM, EINVAL): Refused
//                          -> any other error, or silence: WaitUntil, then SendHello again
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/rfc/hostlist.hpp"
#include "base/rfc/message.hpp"
#include "broker/overlay/peer_health.hpp"
#include "broker/overlay/topology.hpp"

namespace sluice {

struct SendHello {};
struct WaitUntil {
    double when;
};  // monotonic seconds
struct Joined {
    std::string parent_uuid;
};
struct Refused {
    Error why;
};
using HelloAction = std::variant<SendHello, WaitUntil, Joined, Refused>;

class HelloFsm {
  public:
    /// A connection was made, or the time of WaitUntil has come.
    HelloAction begin() const { return SendHello{}; }
    HelloAction on_reply(const Result<std::string>& parent_uuid, double now);

  private:
    double backoff_ = 0.1;  // seconds, doubles up to a second
};

struct Hello {
    Rank rank;
    std::int64_t version = 0;  // major<<16 | minor<<8 | patch
    std::string uuid;
    SubtreeStatus status = SubtreeStatus::unknown;
    std::string hostname;  // empty: not said
    friend bool operator==(const Hello&, const Hello&) = default;
};
JsonObject encode_hello(const Hello& hello);
/// Errors: EPROTO.
Result<Hello> decode_hello(const JsonObject& payload);
/// "0.88.0" as a number. Errors: EINVAL.
Result<std::int64_t> hello_version(std::string_view text);

/// What the parent knows.
struct HelloRules {
    Rank self;
    const Topology& topology;
    const Hostlist& hosts;
    std::int64_t version;
};
/// Errors: EPERM not an owner; EINVAL wrong host, not my child, another minor version.
Result<void> check_hello(const Hello& hello, const Credential& cred, const HelloRules& rules);

}  // namespace sluice
