#include "base/aio/descendants.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/owned_fd.hpp"

namespace sluice {
namespace {

constexpr int rounds_max = 400, pause_ms = 5;

/// The parent in /proc/PID/stat: "PID (NAME) STATE PARENT …"; the name may hold anything.
pid_t parent_of(const std::string& pid) {
    const OwnedFd file{::open(("/proc/" + pid + "/stat").c_str(), O_RDONLY | O_CLOEXEC)};
    char bytes[512];  // NAME has 64 at most
    const ssize_t got = file.get() < 0 ? -1 : ::read(file.get(), bytes, sizeof bytes - 1);
    if (got <= 0) return 0;
    const std::string text(bytes, static_cast<std::size_t>(got));
    const std::size_t name_end = text.rfind(')');
    if (name_end == text.npos || name_end + 4 >= text.size()) return 0;
    if (text[name_end + 2] == 'Z') return 0;  // only its parent can do something about it
    return std::atoi(text.c_str() + name_end + 4);
}

std::unordered_map<pid_t, std::vector<pid_t>> living_children() {
    std::unordered_map<pid_t, std::vector<pid_t>> children;
    DIR* folder = ::opendir("/proc");
    if (!folder) return children;
    while (const dirent* entry = ::readdir(folder)) {
        const std::string name = entry->d_name;
        pid_t pid = 0;
        const char* end = name.data() + name.size();
        if (std::from_chars(name.data(), end, pid).ec != std::errc{}) continue;
        if (const pid_t parent = parent_of(name); parent > 0) children[parent].push_back(pid);
    }
    ::closedir(folder);
    return children;
}

/// Kills in the order of descent, so that nobody sees his child die and starts another.
bool kill_round(const std::function<bool(pid_t)>& known) {
    const auto children = living_children();
    std::vector<pid_t> next{::getpid()};
    bool any = false;
    while (!next.empty()) {
        const pid_t parent = next.back();
        next.pop_back();
        const auto found = children.find(parent);
        if (found == children.end()) continue;
        for (const pid_t pid : found->second) {
            if (parent == ::getpid() && known(pid)) continue;
            ::kill(pid, SIGKILL);
            any = true;
            next.push_back(pid);
        }
    }
    return any;
}

bool has_children() {
    siginfo_t info{};
    return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

}  // namespace

void adopt_orphans() {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void reap_orphans(const std::function<bool(pid_t)>& known) {
    while (true) {
        siginfo_t info{};
        if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return;
        if (known(info.si_pid)) return;
        ::waitpid(info.si_pid, nullptr, WNOHANG);
    }
}

bool kill_descendants(const std::function<bool(pid_t)>& known) {
    for (int round = 0; round < rounds_max; ++round) {
        reap_orphans(known);
        if (!has_children() || !kill_round(known)) return true;
        ::poll(nullptr, 0, pause_ms);
    }
    return false;
}

}  // namespace sluice
