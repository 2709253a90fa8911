// Paths that nobody but root can have made or changed: what a program with privilege, or one that
// checks signatures, may believe. Links the standard library only.
#pragma once

#include <string>

#include "base/owned_fd.hpp"
#include "base/result.hpp"

namespace sluice {

/// An open descriptor of `path`. Each folder on the way and the thing itself belong to root and can
/// be written by nobody else (a sticky folder such as /tmp may be on the way), and none is a link;
/// what was checked is what was opened. `flags` as open(2).
/// Errors: EPERM naming the part, its owner or mode and the cure; ELOOP a link; as open(2).
Result<OwnedFd> open_trusted(const std::string& path, int flags);
/// As open_trusted, of a regular file, read whole (at most 1 MiB).
Result<std::string> read_trusted_file(const std::string& path);
/// That `path`, which may go through links, ends at a trusted regular file that can be executed.
Result<void> check_trusted_program(const std::string& path);

}  // namespace sluice
