// MUNGE credentials: a few bytes, sealed by the munged of this security realm with the uid of who
// asked for it. libmunge is loaded when it is first needed. The only includer of munge.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/strong_id.hpp"

namespace sluice {

struct MungeCredential {
    std::string data;
    UserId userid;
    std::int64_t encoded_at = 0;  // seconds since the epoch
    bool replayed = false;        // this munged has decoded it before
};

// `socket`: of munged; empty for the one that libmunge knows. Errors: ENOENT no libmunge here;
// EINVAL in libmunge's words with the cure, also when munged does not run.
Result<std::string> munge_encode(const std::string& socket, std::string_view data);
/// An expired credential is no error: see `encoded_at`.
Result<MungeCredential> munge_decode(const std::string& socket, const std::string& credential);

}  // namespace sluice
