#include "base/security/signature.hpp"

#include <sha2.h>

#include <algorithm>

#include "base/rfc/signed_jobspec.hpp"
#include "base/security/munge.hpp"

namespace sluice {
namespace {

constexpr char digest_is_sha256 = 1;

std::string digest_of(std::string_view text) {
    unsigned char digest[SHA256_DIGEST_LENGTH];
    SHA2_CTX state;
    SHA256Init(&state);
    SHA256Update(&state, reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    SHA256Final(digest, &state);
    std::string sealed(1, digest_is_sha256);
    sealed.append(reinterpret_cast<const char*>(digest), sizeof digest);
    return sealed;
}

bool known(std::string_view mechanism) { return mechanism == "munge" || mechanism == "none"; }

template <class T>
Result<T> required(Result<std::optional<T>> value, std::string_view key) {
    if (!value) return value.error();
    if (!*value) return fail(EINVAL, "{}: key {} is missing", sign_config_folder, key);
    return **std::move(value);
}

}  // namespace

Result<SignConfig> SignConfig::from(const SecureConfig& config) {
    SignConfig sign;
    SLUICE_TRY(sign.max_ttl, required(config.integer("sign.max-ttl"), "sign.max-ttl"));
    SLUICE_TRY(sign.default_type, required(config.text("sign.default-type"), "sign.default-type"));
    SLUICE_TRY(sign.allowed_types,
               required(config.strings("sign.allowed-types"), "sign.allowed-types"));
    SLUICE_TRY(const auto socket, config.text("sign.munge.socket-path"));
    sign.munge_socket = socket.value_or("");
    if (sign.max_ttl <= 0)
        return fail(EINVAL, "{}: found {}, want seconds over 0, as 1209600 for two weeks",
                    config.place("sign.max-ttl"), sign.max_ttl);
    if (sign.allowed_types.empty())
        return fail(EINVAL, "{}: is empty; want [ \"munge\" ]", config.place("sign.allowed-types"));
    for (const std::string& type : sign.allowed_types)
        if (!known(type))
            return fail(EINVAL, "{}: found '{}', want munge", config.place("sign.allowed-types"),
                        type);
    if (!known(sign.default_type))
        return fail(EINVAL, "{}: found '{}', want munge", config.place("sign.default-type"),
                    sign.default_type);
    return sign;
}

Result<SignConfig> SignConfig::load() {
    SLUICE_TRY(const SecureConfig config, SecureConfig::load(sign_config_folder));
    return from(config);
}

Result<std::string> sign_jobspec(std::string_view jobspec, UserId userid,
                                 const SignConfig& config) {
    if (config.default_type == "none") return sign_none(jobspec, userid);
    std::string j = unsigned_jobspec(jobspec, userid, "munge");
    SLUICE_TRY(const std::string credential, munge_encode(config.munge_socket, digest_of(j)));
    j += '.';
    j += credential;
    return j;
}

Result<Signer> verify_signature(const std::string& j, const SignConfig& config, std::int64_t now) {
    SLUICE_TRY(const SignedParts parts, split_signed(j));
    SLUICE_TRY(const SignedHeader header, read_signed_header(parts.header));
    if (std::ranges::find(config.allowed_types, header.mechanism) == config.allowed_types.end())
        return fail(EINVAL, "J: mechanism {} is not among sign.allowed-types", header.mechanism);
    if (header.mechanism == "none") {
        if (parts.signature != "none") return fail(EINVAL, "J: signature must be 'none'");
        return Signer{header.userid, false, false};
    }
    SLUICE_TRY(const MungeCredential credential,
               munge_decode(config.munge_socket, std::string{parts.signature}));
    if (credential.data != digest_of(parts.sealed))
        return fail(EINVAL, "J: the signature is of another jobspec (SHA-256 differs)");
    if (credential.userid != header.userid)
        return fail(EINVAL, "J: signed by uid {}, says that it is of uid {}", credential.userid,
                    header.userid);
    if (credential.encoded_at + config.max_ttl < now)
        return fail(EINVAL, "J: signed {} s ago, sign.max-ttl is {}; submit it again",
                    now - credential.encoded_at, config.max_ttl);
    return Signer{header.userid, true, credential.replayed};
}

}  // namespace sluice
