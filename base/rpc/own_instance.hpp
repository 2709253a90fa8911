// Which instance a command means that was started without FLUX_URI, in a shell that was opened in a
// pod, say: the one at a well-known socket, else the only one that this user runs here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace sluice {

/// Sockets of the system instance, and of those that the Flux Operator and the Kubeflow Trainer
/// start (their present and their earlier path), in the order in which they are tried.
const std::vector<std::string>& well_known_sockets();

/// Paths of listening sockets named local or local-RANK, from the text of /proc/net/unix; of those
/// in one folder the first by rank only.
std::vector<std::string> broker_sockets(std::string_view proc_net_unix);

/// A connected descriptor, as connect_to_broker.
/// Errors: ENOENT nothing runs here; EINVAL several instances of this user do: names them and the
/// cure; else that of the only one.
Result<int> connect_to_own_instance();

}  // namespace sluice
