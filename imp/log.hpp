// Where grants and refusals are told: syslog (facility authpriv), and refusals on stderr too.
#pragma once

#include <string>

namespace sluice::imp {

void open_log();
/// "flux-imp: TEXT" on stderr only: the unprivileged child's errors.
void tell(const std::string& text);
void log_grant(const std::string& text);
void log_refusal(const std::string& text);

}  // namespace sluice::imp
