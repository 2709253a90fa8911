// Privilege separation (RFC 15): what comes from outside is read and decoded by a child that has
// given up its privilege; the privileged parent gets a list of strings from it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace sluice::imp {

/// The fields that `decode` returns, run in a child with the caller's ids. Its error is told to the
/// caller. Errors: the child's, or what is wrong with what it sent.
Result<std::vector<std::string>> unprivileged(
    const std::function<Result<std::vector<std::string>>()>& decode);

/// All of descriptor `fd`. Errors: EFBIG over `bytes_max`; as read(2).
Result<std::string> read_all(int fd, std::size_t bytes_max);

}  // namespace sluice::imp
