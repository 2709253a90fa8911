// RFC 15 - what reaches the helper from outside, decoded. Pure; see t/fuzz/imp_input_fuzz.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace sluice::imp {

inline constexpr std::size_t input_bytes_max = std::size_t{32} << 20;
inline constexpr std::size_t fields_max = 1024;

/// J of the input {"J": "HEADER.PAYLOAD.SIGNATURE", …}. Other members are passed over.
/// Errors: EINVAL no JSON object of depth 16 at most, no J, J twice, a character in J that base64
/// and signatures do not have.
Result<std::string> read_input(std::string_view json);

/// Fields on the pipe from the unprivileged child: each its size (8 hex digits), then its bytes.
std::string pack(const std::vector<std::string>& fields);
/// Errors: EINVAL cut, or over `fields_max`.
Result<std::vector<std::string>> unpack(std::string_view bytes);

/// Whether `entry` ("NAME=value") may be passed to a privileged command whose configuration allows
/// the names that match `patterns` (glob(7)). What the loader or a shell obeys never may.
bool may_pass(std::string_view entry, const std::vector<std::string>& patterns);

/// `text` with control characters shown as '?', for logs.
std::string printable(std::string_view text);

}  // namespace sluice::imp
