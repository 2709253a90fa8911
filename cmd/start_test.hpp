// The test mode of `flux start`: N brokers on this machine that find each other by PMI-1 over
// sockets they inherit (cli.md 4.1).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/rfc/hostlist.hpp"

namespace sluice {

struct TestOptions {
    std::uint32_t size = 0;       // 0: no test mode
    std::optional<Hostlist> hosts;
    double exit_timeout = 20;     // seconds
    bool leader_only = false, start_leader_only = false, rundir_cleanup = false, noexec = false;
    std::string rundir;           // empty: a new one
    std::string clique = "single";
    int verbose = 0;
    std::string first_option;     // the first --test-* given besides the size
};

/// Runs brokers with `command`, rank 0 with `program`, to their end. The exit code.
Result<int> run_test_instance(const std::vector<std::string>& command,
                              const std::vector<std::string>& program,
                              const TestOptions& options);

}  // namespace sluice
