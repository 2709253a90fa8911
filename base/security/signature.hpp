// RFC 15, RFC 39 - signing J and checking who signed it. Mechanism munge: the credential seals the
// byte 1 and the SHA-256 of "HEADER.PAYLOAD", so that it is good for this J only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/security/secure_config.hpp"
#include "base/strong_id.hpp"

namespace sluice {

/// Table [sign] of /etc/flux/security/conf.d.
struct SignConfig {
    std::int64_t max_ttl = 0;  // seconds
    std::string default_type;
    std::vector<std::string> allowed_types;
    std::string munge_socket;  // empty: libmunge's own

    /// Errors: EINVAL naming file, line and key.
    static Result<SignConfig> from(const SecureConfig& config);
    static Result<SignConfig> load();
};

/// A jobspec as J, signed as `userid` (who must be the caller) by the default mechanism.
Result<std::string> sign_jobspec(std::string_view jobspec, UserId userid, const SignConfig& config);

struct Signer {
    UserId userid;
    bool sealed = false;    // false: mechanism none, which proves nothing
    bool replayed = false;  // this host's munged has seen the credential before
};
/// Who signed J. `now`: seconds since the epoch.
/// Errors: EINVAL: malformed, mechanism not allowed, forged, altered, signed by another than the
/// header says, too old.
Result<Signer> verify_signature(const std::string& j, const SignConfig& config, std::int64_t now);

}  // namespace sluice
