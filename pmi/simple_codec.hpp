// RFC 13 - PMI-1 wire lines: "cmd=put kvsname=K key=X value=V\n". `value`, `error_msg` and `msg`
// run to the end of the line, all other fields to the next blank.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace sluice::pmi {

/// Limits, each with its final NUL counted, as get_maxes tells them. The value limit stays at 1024
/// because MPICH sizes its business cards by it.
inline constexpr std::size_t kvsname_bytes_max = 64, key_bytes_max = 64, value_bytes_max = 1024;
/// A longer line is a protocol error.
inline constexpr std::size_t line_bytes_max = 1216;

/// Return codes of the C interface; `rc` on the wire.
enum class Status : int {
    success = 0,
    fail = -1,
    not_initialised = 1,
    no_memory = 2,
    bad_argument = 3,
    bad_key = 4,
    key_length = 5,
    bad_value = 6,
    value_length = 7,
    length = 8,
    size = 13,
};

/// An errno for a status and back; `Error`s of the client carry the errno.
int to_errno(Status status);
Status to_status(const Error& error);

/// The value of a field, or nullopt.
std::optional<std::string_view> field(std::string_view line, std::string_view key);
/// A whole decimal number; nullopt when missing or malformed.
std::optional<int> integer_field(std::string_view line, std::string_view key);

/// Cuts a byte stream into lines without their "\n".
class LineBuffer {
  public:
    void append(std::string_view bytes) { bytes_ += bytes; }
    std::optional<std::string> next();
    /// What waits for its "\n" is longer than any line may be.
    bool overflow() const { return bytes_.size() > line_bytes_max; }

  private:
    std::string bytes_;
};

}  // namespace sluice::pmi
