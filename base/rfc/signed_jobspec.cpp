// RFC 15 - J, a signed jobspec: base64(header) "." base64(jobspec) "." signature. The header is a
// series of NUL-ended words, key then value, a value with its type letter in front.
#include <charconv>

#include "base/base64.hpp"
#include "base/rfc/jobspec.hpp"

namespace sluice {
namespace {

struct Header {
    std::string mechanism;
    std::optional<UserId> userid;
    bool version_1 = false;
};

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

Result<Header> read_header(std::string_view rest) {
    Header header;
    while (!rest.empty()) {
        SLUICE_TRY(const std::string_view key, take_word(rest));
        SLUICE_TRY(const std::string_view value, take_word(rest));
        if (key == "version") header.version_1 = value == "i1";
        if (key == "mechanism" && value.starts_with('s')) header.mechanism = value.substr(1);
        if (key == "userid" && value.starts_with('i')) {
            std::uint32_t number = 0;
            const char* const last = value.data() + value.size();
            const auto [end, error] = std::from_chars(value.data() + 1, last, number);
            if (error != std::errc{} || end != last)
                return fail(EINVAL, "J: header userid '{}' is not a number", value.substr(1));
            header.userid = UserId{number};
        }
    }
    return header;
}

}  // namespace

std::string sign_none(std::string_view jobspec, UserId userid) {
    std::string header;
    for (const std::string_view word : {"version", "i1", "userid"}) append_word(header, word);
    append_word(header, fmt::format("i{}", userid));
    for (const std::string_view word : {"mechanism", "snone"}) append_word(header, word);
    return fmt::format("{}.{}.none", base64_encode(header), base64_encode(jobspec));
}

Result<SignedJobspec> unwrap_signed(std::string_view j) {
    const std::size_t first = j.find('.');
    const std::size_t second = first == std::string_view::npos ? first : j.find('.', first + 1);
    if (second == std::string_view::npos)
        return fail(EINVAL, "J: expected HEADER.PAYLOAD.SIGNATURE");
    const auto header_text = base64_decode(j.substr(0, first));
    if (!header_text) return header_text.error().in("J: header");
    SLUICE_TRY(const Header header, read_header(*header_text));
    if (!header.version_1) return fail(EINVAL, "J: header version is not 1");
    if (!header.userid) return fail(EINVAL, "J: header has no userid");
    if (header.mechanism.empty()) return fail(EINVAL, "J: header has no mechanism");
    auto jobspec = base64_decode(j.substr(first + 1, second - first - 1));
    if (!jobspec) return jobspec.error().in("J: payload");
    if (header.mechanism == "none" && j.substr(second + 1) != "none")
        return fail(EINVAL, "J: signature of mechanism none must be 'none'");
    return SignedJobspec{*std::move(jobspec), header.mechanism, *header.userid};
}

}  // namespace sluice
