// A PAM session (service "flux") around a job's shell; built with -Dpam=enabled or where PAM is.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace sluice::imp {

/// Checks the account, opens the session and adds its variables to `environment`.
/// Errors: EPERM in PAM's words; ENOSYS built without PAM.
Result<void> open_session(const std::string& user, std::vector<std::string>& environment);
void close_session();

}  // namespace sluice::imp
