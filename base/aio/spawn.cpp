#include "base/aio/spawn.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

extern char** environ;

namespace sluice {
namespace {

constexpr int first_channel_fd = 3;  // below are the child's standard streams

/// Moves a descriptor out of the numbers below `free`, which will be the child's own.
Result<OwnedFd> move_above(int fd, int free) {
    if (fd >= free) return OwnedFd{fd};
    OwnedFd low{fd};
    const int moved = ::fcntl(fd, F_DUPFD_CLOEXEC, free);
    if (moved < 0) return fail(errno, "descriptor {}: no number from {} on is free", fd, free);
    return OwnedFd{moved};
}

struct Pair {
    OwnedFd ours, childs;
};

Result<Pair> owned_pair(int ours, int childs, int free) {
    auto first = move_above(ours, first_channel_fd);
    auto second = move_above(childs, free);
    if (!first) return first.error();
    if (!second) return second.error();
    return Pair{*std::move(first), *std::move(second)};
}

Result<Pair> make_pipe(bool child_reads, int free) {
    int fds[2];
    if (::pipe2(fds, O_CLOEXEC) < 0) return Error{errno};
    return child_reads ? owned_pair(fds[1], fds[0], free) : owned_pair(fds[0], fds[1], free);
}

Result<Pair> make_channel(int free) {
    int fds[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0) return Error{errno};
    return owned_pair(fds[0], fds[1], free);
}

std::string_view variable(const std::vector<std::string>& environment, std::string_view name) {
    for (const std::string_view entry : environment)
        if (entry.starts_with(name) && entry.size() > name.size() && entry[name.size()] == '=')
            return entry.substr(name.size() + 1);
    return {};
}

/// Where the program is, by the PATH the child will have.
Result<std::string> find_program(const std::string& name,
                                 const std::vector<std::string>& environment) {
    if (name.find('/') != std::string::npos) return name;
    std::string_view path = variable(environment, "PATH");
    if (path.empty()) path = "/bin:/usr/bin";
    int cause = ENOENT;
    while (!path.empty()) {
        const std::size_t colon = std::min(path.find(':'), path.size());
        const std::string folder{path.substr(0, colon)};
        const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
        struct stat info {};
        if (::stat(candidate.c_str(), &info) == 0 && S_ISREG(info.st_mode)) {
            if (::access(candidate.c_str(), X_OK) == 0) return candidate;
            cause = EACCES;
        }
        path.remove_prefix(std::min(colon + 1, path.size()));
    }
    return fail(cause, "{}: {}", name, Error{cause}.text());
}

/// The C form of the attributes and actions of posix_spawn, freed with it.
class SpawnPlan {
  public:
    SpawnPlan() {
        ::posix_spawn_file_actions_init(&actions_);
        ::posix_spawnattr_init(&attributes_);
    }
    ~SpawnPlan() {
        ::posix_spawn_file_actions_destroy(&actions_);
        ::posix_spawnattr_destroy(&attributes_);
    }
    SpawnPlan(const SpawnPlan&) = delete;

    void set_signals_and_group(bool new_group) {
        sigset_t none, all;
        ::sigemptyset(&none);
        ::sigfillset(&all);
        ::posix_spawnattr_setsigmask(&attributes_, &none);
        ::posix_spawnattr_setsigdefault(&attributes_, &all);
        short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
        if (new_group) {
            ::posix_spawnattr_setpgroup(&attributes_, 0);
            flags |= POSIX_SPAWN_SETPGROUP;
        }
        ::posix_spawnattr_setflags(&attributes_, flags);
    }
    void chdir(const std::string& folder) {
        ::posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
    }
    void null_device(int fd) {
        ::posix_spawn_file_actions_addopen(&actions_, fd, "/dev/null", O_RDWR, 0);
    }
    void dup(int from, int to) { ::posix_spawn_file_actions_adddup2(&actions_, from, to); }
    void close_from(int fd) { ::posix_spawn_file_actions_addclosefrom_np(&actions_, fd); }

    Result<pid_t> run(const std::string& program, std::vector<std::string> argv,
                      std::vector<std::string> environment) const {
        std::vector<char*> words, variables;
        for (std::string& word : argv) words.push_back(word.data());
        for (std::string& entry : environment) variables.push_back(entry.data());
        words.push_back(nullptr);
        variables.push_back(nullptr);
        pid_t pid = 0;
        const int cause = ::posix_spawn(&pid, program.c_str(), &actions_, &attributes_,
                                        words.data(), variables.data());
        if (cause) return fail(cause, "{}: {}", argv[0], Error{cause}.text());
        return pid;
    }

  private:
    posix_spawn_file_actions_t actions_;
    posix_spawnattr_t attributes_;
};

std::vector<std::string> own_environment() {
    std::vector<std::string> entries;
    for (char** entry = environ; *entry; ++entry) entries.emplace_back(*entry);
    return entries;
}

/// The streams and channels of a child. Its ends must live until the spawn.
class Streams {
  public:
    Streams(SpawnPlan& plan, Spawned& spawned, std::size_t channels)
        : plan_(plan), spawned_(spawned), free_(first_channel_fd + static_cast<int>(channels)) {}

    Result<void> add_standard(StdioKind kind, int fd, const char* name) {
        if (kind == StdioKind::inherit) return {};
        if (kind == StdioKind::null) return plan_.null_device(fd), Result<void>{};
        SLUICE_TRY(Pair pair, make_pipe(fd == STDIN_FILENO, free_));
        keep(std::move(pair), fd, name);
        return {};
    }
    /// The number that the channel has in the child.
    Result<int> add_channel(const std::string& name) {
        SLUICE_TRY(Pair pair, make_channel(free_));
        keep(std::move(pair), next_channel_, name);
        return next_channel_++;
    }
    /// The child has these and nothing else: what we have open is none of its business.
    void close_others() { plan_.close_from(next_channel_); }

  private:
    void keep(Pair pair, int fd, const std::string& name) {
        plan_.dup(pair.childs.get(), fd);
        spawned_.ends[name] = std::move(pair.ours);
        childs_.push_back(std::move(pair.childs));
    }

    SpawnPlan& plan_;
    Spawned& spawned_;
    std::vector<OwnedFd> childs_;
    int free_, next_channel_ = first_channel_fd;
};

Result<void> check_folder(const std::string& folder) {
    struct stat info {};
    if (::stat(folder.c_str(), &info) < 0)
        return fail(errno, "{}: {}", folder, Error{errno}.text());
    if (!S_ISDIR(info.st_mode)) return fail(ENOTDIR, "{}: not a folder", folder);
    return {};
}

}  // namespace

Result<Spawned> spawn(const SubprocessOptions& options) {
    if (options.argv.empty()) return fail(EINVAL, "no command was given");
    std::vector<std::string> environment =
        options.environment ? *options.environment : own_environment();
    SpawnPlan plan;
    Spawned spawned;
    Streams streams(plan, spawned, options.channels.size());
    plan.set_signals_and_group(options.new_group);
    if (!options.cwd.empty()) {
        SLUICE_CHECK(check_folder(options.cwd));
        plan.chdir(options.cwd);
    }
    SLUICE_CHECK(streams.add_standard(options.stdin_kind, 0, "stdin"));
    SLUICE_CHECK(streams.add_standard(options.stdout_kind, 1, "stdout"));
    SLUICE_CHECK(streams.add_standard(options.stderr_kind, 2, "stderr"));
    for (const std::string& name : options.channels) {
        SLUICE_TRY(const int fd, streams.add_channel(name));
        std::erase_if(environment,
                      [&](const std::string& entry) { return entry.starts_with(name + "="); });
        environment.push_back(fmt::format("{}={}", name, fd));
    }
    streams.close_others();
    SLUICE_TRY(const std::string program, find_program(options.argv[0], environment));
    Result<pid_t> pid = plan.run(program, options.argv, environment);
    if (!pid && pid.error().errnum() == ENOEXEC) {  // a script without "#!", as execvp treats it
        std::vector<std::string> argv{"sh", program};
        argv.insert(argv.end(), options.argv.begin() + 1, options.argv.end());
        pid = plan.run("/bin/sh", argv, environment);
    }
    if (!pid) return pid.error();
    spawned.pid = *pid;
    spawned.pidfd = OwnedFd{static_cast<int>(::syscall(SYS_pidfd_open, *pid, 0))};
    if (spawned.pidfd.get() < 0) return fail(errno, "pidfd_open: {}; Linux 5.3 is needed", *pid);
    return spawned;
}

}  // namespace sluice
