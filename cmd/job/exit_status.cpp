#include "cmd/job/exit_status.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstring>

namespace sluice {

namespace {
constexpr int signalled_base = 128;
}

int job_exit_code(std::int64_t wait_status) {
    const int status = static_cast<int>(wait_status);
    if (WIFSIGNALED(status)) return signalled_base + WTERMSIG(status);
    return WEXITSTATUS(status);
}

std::string describe_job_end(std::int64_t wait_status) {
    const int status = static_cast<int>(wait_status);
    if (WIFSIGNALED(status)) return fmt::format("job shell {}", ::strsignal(WTERMSIG(status)));
    const int code = WEXITSTATUS(status);
    if (code > signalled_base) return fmt::format("task(s) {}", ::strsignal(code - signalled_base));
    if (code > 0) return fmt::format("task(s) exited with exit code {}", code);
    return {};
}

}  // namespace sluice
