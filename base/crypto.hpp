// Curve25519 key pairs in Z85 text (ZeroMQ RFC 32). The only includer of libsodium is crypto.cpp.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

/// Both as Z85 text, 40 characters.
struct CurveKeys {
    std::string public_key, secret_key;
    friend bool operator==(const CurveKeys&, const CurveKeys&) = default;
};

CurveKeys generate_curve_keys();
/// Whether the public key is that of the secret key; both must be Z85 keys.
bool curve_keys_match(const CurveKeys& keys);
/// Whether `text` is 40 characters of the Z85 alphabet.
bool is_z85_key(std::string_view text);

}  // namespace sluice
