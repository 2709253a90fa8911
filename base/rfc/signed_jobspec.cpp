#include "base/rfc/signed_jobspec.hpp"

#include <charconv>
#include <optional>

#include "base/base64.hpp"

namespace sluice {
namespace {

constexpr std::size_t header_bytes_max = 4096;

void append_word(std::string& out, std::string_view word) {
    out += word;
    out += '\0';
}

Result<std::string_view> take_word(std::string_view& rest) {
    const std::size_t end = rest.find('\0');
    if (end == std::string_view::npos) return fail(EINVAL, "J: header is cut");
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    return word;
}

Result<UserId> read_userid(std::string_view value) {
    std::uint32_t number = 0;
    const char* const last = value.data() + value.size();
    const auto [end, error] = std::from_chars(value.data() + 1, last, number);
    if (error != std::errc{} || end != last)
        return fail(EINVAL, "J: header userid '{}' is not a number", value.substr(1));
    return UserId{number};
}

}  // namespace

Result<SignedParts> split_signed(std::string_view j) {
    const std::size_t first = j.find('.');
    const std::size_t second = first == std::string_view::npos ? first : j.find('.', first + 1);
    if (second == std::string_view::npos)
        return fail(EINVAL, "J: expected HEADER.PAYLOAD.SIGNATURE");
    return SignedParts{j.substr(0, first), j.substr(first + 1, second - first - 1),
                       j.substr(second + 1), j.substr(0, second)};
}

Result<SignedHeader> read_signed_header(std::string_view header) {
    if (header.size() > header_bytes_max)
        return fail(EINVAL, "J: header of {} bytes, limit {}", header.size(), header_bytes_max);
    const auto text = base64_decode(header);
    if (!text) return text.error().in("J: header");
    std::optional<std::string> mechanism;
    std::optional<UserId> userid;
    bool version_1 = false;
    for (std::string_view rest = *text; !rest.empty();) {
        SLUICE_TRY(const std::string_view key, take_word(rest));
        SLUICE_TRY(const std::string_view value, take_word(rest));
        if (key == "version") version_1 = value == "i1";
        if (key == "mechanism" && value.starts_with('s')) {
            if (mechanism) return fail(EINVAL, "J: header has two mechanisms");
            mechanism = value.substr(1);
        }
        if (key == "userid" && value.starts_with('i')) {
            if (userid) return fail(EINVAL, "J: header has two userids");
            SLUICE_TRY(userid, read_userid(value));
        }
    }
    if (!version_1) return fail(EINVAL, "J: header version is not 1");
    if (!userid) return fail(EINVAL, "J: header has no userid");
    if (!mechanism || mechanism->empty()) return fail(EINVAL, "J: header has no mechanism");
    return SignedHeader{*std::move(mechanism), *userid};
}

std::string unsigned_jobspec(std::string_view jobspec, UserId userid, std::string_view mechanism) {
    std::string header;
    for (const std::string_view word : {"version", "i1", "userid"}) append_word(header, word);
    append_word(header, fmt::format("i{}", userid));
    append_word(header, "mechanism");
    append_word(header, fmt::format("s{}", mechanism));
    return fmt::format("{}.{}", base64_encode(header), base64_encode(jobspec));
}

std::string sign_none(std::string_view jobspec, UserId userid) {
    return unsigned_jobspec(jobspec, userid, "none") + ".none";
}

Result<std::string> envelope_of(std::string_view j) {
    SLUICE_TRY(const SignedParts parts, split_signed(j));
    const auto jobspec = base64_decode(parts.payload);
    if (!jobspec || base64_encode(*jobspec) != parts.payload)
        return fail(EINVAL, "J: payload: no base64 in its usual form");
    return fmt::format("{}.{}", parts.header, parts.signature);
}

Result<std::string> join_signed(std::string_view envelope, std::string_view jobspec) {
    const std::size_t dot = envelope.find('.');
    if (dot == std::string_view::npos) return fail(EINVAL, "J: no header and signature");
    return fmt::format("{}.{}.{}", envelope.substr(0, dot), base64_encode(jobspec),
                       envelope.substr(dot + 1));
}

}  // namespace sluice
