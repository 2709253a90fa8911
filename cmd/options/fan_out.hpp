// One submission line made into many: a copy per id of --cc or per input of bulksubmit, with fields
// replaced in its options and its command.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/rfc/idset.hpp"
#include "cmd/options/replacement.hpp"
#include "cmd/options/submit_options.hpp"

namespace sluice {

struct PlannedJob {
    SubmitOptions options;
    std::vector<std::string> command;
    std::optional<Idset::Id> copy;  // its id in --cc or --bcc
};

/// Lookups count the empty fields of a text, so each text gets its own.
using LookupMaker = std::function<FieldLookup()>;
/// `job` with the fields of all replaceable options and the command replaced.
/// Errors: EINVAL `Invalid replacement string in command: '…'` or `… in OPTION: why`.
Result<PlannedJob> replace_job(const PlannedJob& job, const LookupMaker& lookups);

/// The ids of --cc or --bcc, nullopt when neither is there. Errors: EINVAL.
Result<std::optional<Idset>> copy_ids(const SubmitOptions& options);
/// Copy number `id` of `job`: {cc} replaced, and with --cc FLUX_JOB_CC in its environment.
Result<PlannedJob> copy_job(const PlannedJob& job, Idset::Id id);

/// The options in `after` that differ from `before`, and those for copies, as bulksubmit --dry-run
/// shows them.
std::vector<std::string> changed_options(const SubmitOptions& before, const SubmitOptions& after);

}  // namespace sluice
