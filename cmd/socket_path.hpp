// A plain connection to a Unix socket, without the handshake (proxy and relay pass that through).
#pragma once

#include <string>

#include "base/result.hpp"

namespace sluice {

/// The connected descriptor, close-on-exec. Errors: as connect(2), with the path.
Result<int> connect_socket(const std::string& path);

}  // namespace sluice
