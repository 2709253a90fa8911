// What a launcher and its zygote say to each other on their control socket (a stream of fixed-size
// structs, same machine and build). With an order to launch comes the shell's end of a socket pair
// (SCM_RIGHTS); the zygote finds or forks a process to be the shell, and answers with records.
#pragma once

#include <cstdint>

namespace sluice {

/// The descriptor number of the control socket is in this variable of the zygote's environment.
inline constexpr const char* zygote_fd_variable = "SLUICE_ZYGOTE_FD";

struct ZygoteOrder {
    enum class Kind : std::uint64_t { launch = 1, kill = 2 };
    Kind kind = Kind::launch;
    std::uint64_t id = 0;  // of the job
};

struct ZygoteRecord {
    enum class Kind : std::uint32_t { started = 1, exited = 2, failed = 3 };
    Kind kind = Kind::started;
    std::int32_t pid = 0;
    std::uint64_t id = 0;
    std::int32_t status = 0;  // exited: wait status; failed: errno of fork
    std::int32_t unused = 0;
};

}  // namespace sluice
