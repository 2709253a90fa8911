// Shell options of the I/O and signal options of submission (cli.md 2.3).
#pragma once

#include <string>

#include "base/json.hpp"
#include "base/result.hpp"
#include "cmd/options/submit_options.hpp"

namespace sluice {

/// Shell options "input" and "output" as --input, --output, --error, -l and -u ask, absent when
/// they ask for nothing.
JsonObject shell_io_options(const SubmitOptions& options, SubmitVerb verb);
/// "[SIG][@TIME]" as {"signum","timeleft"}. Errors: EINVAL.
Result<JsonObject> signal_option(const std::string& text);
/// Number of "TERM", "SIGTERM" or "15"; 0 when there is no such signal.
int signal_number(std::string_view name);

}  // namespace sluice
