// flux broker: replaces itself by flux-broker.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/paths.hpp"
#include "cmd/commands.hpp"

namespace sluice {

int cmd_broker(int, char** argv) {
    const std::string program = helper_program("flux-broker");
    ::execv(program.c_str(), argv);
    fmt::print(stderr, "flux-broker: {}: {}\n", program, std::strerror(errno));
    return 1;
}

}  // namespace sluice
