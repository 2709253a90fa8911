// Wait statuses of jobs as exit codes and messages (cli.md 8.1).
#pragma once

#include <cstdint>
#include <string>

namespace sluice {

/// Exit code of a wait status: the code, or 128 plus the signal.
int job_exit_code(std::int64_t wait_status);
/// "task(s) exited with exit code 3", "task(s) Terminated", "job shell Killed"; empty for 0.
std::string describe_job_end(std::int64_t wait_status);

}  // namespace sluice
