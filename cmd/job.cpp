// flux job: the table of its sub-commands.
#include "cmd/commands.hpp"

namespace sluice {

int cmd_job(int argc, char** argv) {
    // One line a sub-command.
    static constexpr Command table[] = {
        {"attach", job_attach, "Stay with a job until it ends"},
        {"status", job_status, "Wait for jobs and exit with the largest exit code"},
    };
    return run_subcommand("flux-job", table, argc, argv);
}

}  // namespace sluice
