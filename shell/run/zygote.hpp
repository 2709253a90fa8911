// The zygote: an initialised shell process that forks a shell for each order of its launcher, and
// tells when they end (base/rpc/zygote_wire.hpp).
#pragma once

namespace sluice::shell {

/// Serves orders on the control socket until the launcher closes it. Returns the exit code.
int run_zygote(int control);

}  // namespace sluice::shell
