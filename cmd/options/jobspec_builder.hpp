// RFC 14, 25 - the jobspec a submission command sends, from its options and what the process knows.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "cmd/options/environment.hpp"
#include "cmd/options/file_loader.hpp"
#include "cmd/options/rlimit.hpp"
#include "cmd/options/submit_options.hpp"

namespace sluice {

/// All that the options are read against.
struct SubmitContext {
    std::string cwd;
    EnvironmentList environment;
    LimitList limits;
    FileLoader load;
    double now = 0;                  // for --begin-time
    bool stdin_is_terminal = false;  // alloc then asks for an interactive pty
};

/// `script` is that of batch, empty for all others; `command` follows it as its arguments.
struct JobRequest {
    std::vector<std::string> command;
    std::string script;
};

/// The jobspec, its members in the order of the reference.
/// Errors: EINVAL naming the option, or the errno of a file.
Result<JsonObject> build_jobspec(const SubmitOptions& options, SubmitVerb verb,
                                 const JobRequest& request, const SubmitContext& context);

/// --urgency: a number, hold, default or expedite. Errors: EINVAL naming it.
Result<int> parse_urgency(const SubmitOptions& options);
/// --flags as bits. Errors: EINVAL `--flags: Unknown flag X`.
Result<int> parse_flags(const SubmitOptions& options);
/// Whether --input names tasks rather than a file.
bool input_names_tasks(const SubmitOptions& options);

}  // namespace sluice
