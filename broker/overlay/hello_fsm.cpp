#include "broker/overlay/hello_fsm.hpp"

#include <algorithm>
#include <charconv>

namespace sluice {
namespace {

constexpr double backoff_max = 1.0;
constexpr std::int64_t patch_bits = 0xff;

std::string version_text(std::int64_t version) {
    return fmt::format("{}.{}.{}", version >> 16, version >> 8 & 0xff, version & patch_bits);
}

}  // namespace

HelloAction HelloFsm::on_reply(const Result<std::string>& parent_uuid, double now) {
    if (parent_uuid) return Joined{*parent_uuid};
    const int cause = parent_uuid.error().errnum();
    if (cause == EPERM || cause == EINVAL || cause == EPROTO) return Refused{parent_uuid.error()};
    const double wait = backoff_;
    backoff_ = std::min(backoff_ * 2, backoff_max);
    return WaitUntil{now + wait};
}

JsonObject encode_hello(const Hello& hello) {
    JsonObject payload{{"rank", hello.rank.value},
                       {"version", hello.version},
                       {"uuid", hello.uuid},
                       {"status", static_cast<int>(hello.status)}};
    if (!hello.hostname.empty()) payload["hostname"] = hello.hostname;
    return payload;
}

Result<Hello> decode_hello(const JsonObject& payload) {
    JsonReader in{payload};
    Hello hello;
    hello.rank = Rank{static_cast<std::uint32_t>(in.integer("rank"))};
    hello.version = in.integer("version");
    hello.uuid = in.string("uuid");
    hello.status = static_cast<SubtreeStatus>(in.integer("status"));
    hello.hostname = in.string_or("hostname", "");
    if (!in) return in.error();
    return hello;
}

Result<std::int64_t> hello_version(std::string_view text) {
    std::int64_t version = 0;
    const char* at = text.data();
    const char* const end = text.data() + text.size();
    for (int part = 0; part < 3; ++part) {
        int number = 0;
        const auto [next, error] = std::from_chars(at, end, number);
        if (error != std::errc{} || number > 255)
            return fail(EINVAL, "version '{}' is not of the form 1.2.3", text);
        version = version << 8 | number;
        at = next == end ? next : next + 1;
    }
    return version;
}

Result<void> check_hello(const Hello& hello, const Credential& cred, const HelloRules& rules) {
    if (!(cred.rolemask & role::owner)) return fail(EPERM, "hello needs the role of the owner");
    if (rules.topology.parent(hello.rank) != rules.self)
        return fail(EINVAL, "rank {} is not a peer of parent {}: mismatched tbon.topo or hosts?",
                    hello.rank, rules.self);
    const std::string& expected = rules.hosts[hello.rank.value];
    if (!hello.hostname.empty() && hello.hostname != expected)
        return fail(EINVAL, "hostname {} of rank {} does not match the configured {}",
                    hello.hostname, hello.rank, expected);
    if (hello.version >> 8 != rules.version >> 8)
        return fail(EINVAL, "version {} of rank {} ({}) does not match version {} of its parent",
                    version_text(hello.version), hello.rank, expected, version_text(rules.version));
    return {};
}

}  // namespace sluice
