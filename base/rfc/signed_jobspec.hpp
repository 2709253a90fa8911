// RFC 15, RFC 39 - J, a jobspec and who submits it: base64(header) "." base64(jobspec) "."
// signature. The header is a series of NUL-ended words, key then value, a value with its type
// letter in front. Links no JSON library: the setuid helper reads J too.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/strong_id.hpp"

namespace sluice {

struct SignedHeader {
    std::string mechanism;
    UserId userid;
};

/// Views into J. `sealed` is "HEADER.PAYLOAD", what the signature is of.
struct SignedParts {
    std::string_view header, payload, signature, sealed;
};

/// Errors: EINVAL: not three parts.
Result<SignedParts> split_signed(std::string_view j);
/// Errors: EINVAL: not base64, over 4 KiB, cut, a key twice, version not 1, no userid or mechanism.
Result<SignedHeader> read_signed_header(std::string_view header);

/// "HEADER.PAYLOAD".
std::string unsigned_jobspec(std::string_view jobspec, UserId userid, std::string_view mechanism);
/// J with mechanism none (wire.md 2.2). To read a J as a whole: unwrap_signed in jobspec.hpp.
std::string sign_none(std::string_view jobspec, UserId userid);


/// J without its payload, "HEADER.SIGNATURE", for who keeps the jobspec apart.
/// Errors: EINVAL a payload that is not base64 as base64_encode writes it.
Result<std::string> envelope_of(std::string_view j);
/// J again. Errors: EINVAL `envelope` is none.
Result<std::string> join_signed(std::string_view envelope, std::string_view jobspec);

}  // namespace sluice
