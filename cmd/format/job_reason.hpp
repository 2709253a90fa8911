// Sentences about a job: why it waits, why it ended.
#pragma once

#include <string>

#include "cmd/format/job_fields.hpp"

namespace sluice {

/// Comma-separated; begin-time=T as begin@HH:MM[:SS] or begin@MonDD-HH:MM[:SS].
std::string dependencies_text(const JobRow& job);
/// What a pending job waits for, or the nodes of any other.
std::string contextual_info(const JobRow& job);

}  // namespace sluice
