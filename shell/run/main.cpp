// flux-shell: runs the tasks of jobs on one node. It is started by the broker as a zygote; shells
// of jobs are forked from it.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/rpc/zygote_wire.hpp"
#include "shell/run/zygote.hpp"

int main(int argc, char** argv) {
    const char* control = std::getenv(sluice::zygote_fd_variable);
    if (argc != 2 || std::string_view{argv[1]} != "--zygote" || !control) {
        std::fprintf(stderr,
                     "flux-shell: the broker starts it as flux-shell --zygote; "
                     "use flux run to run a job\n");
        return 1;
    }
    return sluice::shell::run_zygote(std::atoi(control));
}
