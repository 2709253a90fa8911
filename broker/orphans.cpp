// Our own children are reaped by those who started them, within milliseconds; so a zombie that is
// still there a second later is an orphan.
#include "broker/orphans.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace sluice {
namespace {

constexpr auto patience = std::chrono::seconds(1);

/// /proc/PID/stat says state Z and us as its parent.
bool is_our_zombie(const std::filesystem::path& process) {
    std::ifstream file(process / "stat");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::size_t name_end = text.rfind(") ");
    return name_end != std::string::npos &&
           text.compare(name_end, 6, ") Z " + std::to_string(::getpid()) + " ") == 0;
}

std::set<pid_t> our_zombies() {
    std::set<pid_t> found;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
        const std::string name = entry.path().filename();
        pid_t pid = 0;
        const auto [end, bad] = std::from_chars(name.data(), name.data() + name.size(), pid);
        if (bad == std::errc{} && end == name.data() + name.size() && is_our_zombie(entry.path()))
            found.insert(pid);
    }
    return found;
}

}  // namespace

void Orphans::adopt() {
    if (::getpid() != 1) return;
    child_ended_.add(SIGCHLD);
    wait();
}

void Orphans::wait() {
    child_ended_.async_wait([this](const boost::system::error_code& error, int) {
        if (!error) look();
    });
}

void Orphans::look() {
    std::set<pid_t> now = our_zombies();
    std::erase_if(now, [this](pid_t pid) {
        return ended_.contains(pid) && ::waitpid(pid, nullptr, WNOHANG) == pid;
    });
    ended_ = std::move(now);
    if (ended_.empty()) return wait();
    timer_.expires_after(patience);
    timer_.async_wait([this](const boost::system::error_code& error) {
        if (!error) look();
    });
}

}  // namespace sluice
