// flux-imp, the Independent Minister of Privilege (RFC 15): installed setuid root, it lets the
// owner of an instance start what other users have signed, and nothing else. See imp/SECURITY.md.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>

#include "imp/commands.hpp"
#include "imp/log.hpp"
#include "imp/supervise.hpp"

extern char** environ;

namespace sluice::imp {
namespace {

/// The caller's descriptors, signals and variables are his: none of them is used.
bool cut_ties(std::vector<std::string>& callers) {
    for (int fd = 0; fd <= 2; ++fd)
        if (::fcntl(fd, F_GETFD) < 0 && ::open("/dev/null", O_RDWR) != fd) return false;
    if (::close_range(3, ~0U, 0) != 0) return false;
    ::umask(022);
    for (int signum = 1; signum < NSIG; ++signum) ::signal(signum, SIG_DFL);
    ::signal(SIGPIPE, SIG_IGN);
    for (char** entry = environ; entry && *entry; ++entry) callers.emplace_back(*entry);
    static char* nothing[] = {nullptr};
    environ = nothing;
    return true;
}

int refuse(std::string_view command, const Error& error) {
    log_refusal(std::string{command} + ": " + error.text());
    return 1;
}

int whoami() {
    std::printf("flux-imp: uid %u, effective uid %u, gid %u, effective gid %u\n", ::getuid(),
                ::geteuid(), ::getgid(), ::getegid());
    return 0;
}

int usage() {
    tell("usage: flux-imp exec SHELL ARGUMENT... | run NAME | whoami | version");
    return 1;
}

int run(int argc, char** argv) {
    Invocation invocation;
    if (argc < 1 || !cut_ties(invocation.environment)) return 1;
    if (argc < 2) return usage();
    const std::string_view command = argv[1];
    if (command == "version") return std::printf("flux-imp %s\n", SLUICE_VERSION) < 0;
    if (command == "whoami") return whoami();
    if (command != "exec" && command != "run") return usage();
    open_log();
    if (::geteuid() == 0 && ::getuid() == 0)
        return refuse(command, Error{EPERM, "run by root; run it as the owner of the instance"});
    invocation.words = {argv + 2, argv + argc};
    invocation.privileged = ::geteuid() == 0;
    const auto status = command == "exec" ? exec_command(invocation) : run_command(invocation);
    if (!status) return refuse(command, status.error());
    end_as(*status);
}

}  // namespace
}  // namespace sluice::imp

int main(int argc, char** argv) {
    return sluice::imp::run(argc, argv);
}
