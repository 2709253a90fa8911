// Connections to UNIX sockets, with and without the handshake of a broker's local connector
// (wire.md 1.2).
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace sluice {

/// A connected descriptor, close-on-exec.
/// Errors: as connect(2); ENAMETOOLONG a path of over 107 bytes.
Result<int> connect_unix(const std::string& path);
/// As connect_unix, and welcomed by the broker at `path`. Errors: EPERM when it refuses this user.
Result<int> connect_to_broker(const std::string& path);

}  // namespace sluice
