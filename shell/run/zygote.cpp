#include "shell/run/zygote.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <deque>
#include <optional>
#include <unordered_map>

#include "base/aio/descendants.hpp"
#include "base/aio/fd_passing.hpp"
#include "base/rfc/fluid.hpp"
#include "base/rpc/zygote_wire.hpp"
#include "shell/run/worker.hpp"

namespace sluice::shell {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds idle_max{1000};  // a node at rest has no shells
constexpr int low_fds = 64;  // low numbers are left to jobs: sh can name one digit only

OwnedFd moved_up(OwnedFd fd) {
    const int high = ::fcntl(fd.get(), F_DUPFD_CLOEXEC, low_fds);
    return high < 0 ? std::move(fd) : OwnedFd{high};
}

class Zygote {
  public:
    explicit Zygote(int control) : control_(control) {}

    int run();

  private:
    struct Worker {
        OwnedFd orders;
        std::uint64_t job = 0;  // 0 while it is idle
        Clock::time_point idle_since;
    };

    bool begin();
    bool take_order();  // false when the launcher is gone
    void launch(std::uint64_t id, OwnedFd socket);
    bool launch_idle(std::uint64_t id, const OwnedFd& socket);
    int launch_new(std::uint64_t id, OwnedFd& socket);
    [[noreturn]] void become_worker(std::uint64_t id, OwnedFd socket, OwnedFd orders);
    void kill_shell(std::uint64_t id) const;
    void hear_done();
    void reap();
    void dismiss_idle();
    int patience() const;
    void kill_orphans();
    void report(ZygoteRecord::Kind kind, std::uint64_t id, pid_t pid, int status = 0);

    int control_;
    OwnedFd signals_, done_, done_end_;  // done_end_: what workers write into
    std::optional<Topology> topology_;
    std::unordered_map<pid_t, Worker> workers_;
    std::deque<pid_t> idle_;  // the one that was busy last is at the end
};

bool Zygote::begin() {
    ::fcntl(control_, F_SETFD, FD_CLOEXEC);
    for (int signum = 1; signum < NSIG; ++signum) ::signal(signum, SIG_DFL);
    ::signal(SIGPIPE, SIG_IGN);
    sigset_t child;
    ::sigemptyset(&child);
    ::sigaddset(&child, SIGCHLD);
    ::sigprocmask(SIG_SETMASK, &child, nullptr);
    signals_ = OwnedFd{::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK)};
    int ends[2];
    if (signals_.get() < 0 || ::pipe2(ends, O_CLOEXEC) != 0) return false;
    done_ = OwnedFd{ends[0]};
    done_end_ = moved_up(OwnedFd{ends[1]});
    ::fcntl(done_.get(), F_SETFL, O_NONBLOCK);
    return true;
}

int Zygote::run() {
    if (!begin()) return 1;
    adopt_orphans();
    if (auto topology = Topology::load()) topology_.emplace(*std::move(topology));
    to_f58(JobId{1});  // looks the locale up once for all shells
    while (true) {
        pollfd events[3] = {
            {control_, POLLIN, 0}, {done_.get(), POLLIN, 0}, {signals_.get(), POLLIN, 0}};
        if (::poll(events, 3, patience()) < 0 && errno != EINTR) return 1;
        if (events[1].revents) hear_done();
        if (events[2].revents) reap();
        if (events[0].revents && !take_order()) return 0;
        dismiss_idle();
    }
}

bool Zygote::take_order() {
    ZygoteOrder order;
    OwnedFd socket;
    const ssize_t got = receive_with_fd(control_, &order, sizeof order, socket);
    if (got < 0) return errno == EINTR || errno == EAGAIN;
    if (got == 0) return false;
    if (got != sizeof order) return true;
    if (order.kind == ZygoteOrder::Kind::kill)
        kill_shell(order.id);
    else if (socket.get() >= 0)
        launch(order.id, std::move(socket));
    return true;
}

void Zygote::launch(std::uint64_t id, OwnedFd socket) {
    if (launch_idle(id, socket)) return;
    if (const int error = launch_new(id, socket))
        report(ZygoteRecord::Kind::failed, id, 0, error);
}

bool Zygote::launch_idle(std::uint64_t id, const OwnedFd& socket) {
    while (!idle_.empty()) {
        const pid_t pid = idle_.back();
        idle_.pop_back();
        Worker& worker = workers_.at(pid);
        if (send_with_fd(worker.orders.get(), &id, sizeof id, socket.get()) != sizeof id)
            continue;  // it has died; reap() hears of it
        worker.job = id;
        report(ZygoteRecord::Kind::started, id, pid);
        return true;
    }
    return false;
}

/// Returns 0 or errno.
int Zygote::launch_new(std::uint64_t id, OwnedFd& socket) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return errno;
    OwnedFd ours{ends[0]}, theirs{ends[1]};
    const pid_t pid = ::fork();
    if (pid < 0) return errno;
    if (pid == 0) {
        ours = OwnedFd{};
        become_worker(id, std::move(socket), std::move(theirs));
    }
    workers_[pid] = {std::move(ours), id, {}};
    report(ZygoteRecord::Kind::started, id, pid);
    return 0;
}

void Zygote::become_worker(std::uint64_t id, OwnedFd socket, OwnedFd orders) {
    ::close(control_);
    signals_ = OwnedFd{};
    done_ = OwnedFd{};
    workers_.clear();  // closes what others' orders come from
    ::setpgid(0, 0);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    orders = moved_up(std::move(orders));
    ::_exit(work({std::move(orders), std::move(done_end_)}, id, std::move(socket),
                 topology_ ? &*topology_ : nullptr));
}

void Zygote::kill_shell(std::uint64_t id) const {
    for (const auto& [pid, worker] : workers_)
        if (worker.job == id) ::kill(pid, SIGKILL);
}

void Zygote::hear_done() {
    WorkerDone word;
    while (::read(done_.get(), &word, sizeof word) == sizeof word) {
        const auto found = workers_.find(word.pid);
        if (found == workers_.end() || found->second.job != word.id) continue;
        report(ZygoteRecord::Kind::exited, word.id, word.pid, word.status);
        found->second.job = 0;
        found->second.idle_since = Clock::now();
        idle_.push_back(word.pid);
    }
}

void Zygote::reap() {
    signalfd_siginfo info;
    while (::read(signals_.get(), &info, sizeof info) > 0) {
    }
    int status = 0;
    bool killed = false;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
        const auto found = workers_.find(pid);
        if (found == workers_.end()) continue;
        killed = killed || WIFSIGNALED(status);
        const std::uint64_t job = found->second.job;
        workers_.erase(found);
        std::erase(idle_, pid);
        if (job != 0) report(ZygoteRecord::Kind::exited, job, pid, status);
    }
    if (killed) kill_orphans();
}

/// Closes the orders of workers that had nothing to do for a while: they end.
void Zygote::dismiss_idle() {
    const Clock::time_point now = Clock::now();
    while (!idle_.empty() && workers_.at(idle_.front()).idle_since + idle_max <= now) {
        workers_.at(idle_.front()).orders = OwnedFd{};
        idle_.pop_front();
    }
}

/// Milliseconds until an idle worker is dismissed, -1 without one.
int Zygote::patience() const {
    if (idle_.empty()) return -1;
    const auto end = workers_.at(idle_.front()).idle_since + idle_max;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
}

/// What a shell that was killed had to look after has come to us.
void Zygote::kill_orphans() {
    kill_descendants([this](pid_t pid) { return workers_.contains(pid); });
}

void Zygote::report(ZygoteRecord::Kind kind, std::uint64_t id, pid_t pid, int status) {
    ZygoteRecord record;
    record.kind = kind;
    record.id = id;
    record.pid = pid;
    record.status = status;
    // The socket's buffer holds thousands of records; a launcher that is gone is seen by recvmsg.
    while (::send(control_, &record, sizeof record, MSG_NOSIGNAL) < 0 && errno == EINTR) {
    }
}

}  // namespace

int run_zygote(int control) {
    return Zygote{control}.run();
}

}  // namespace sluice::shell
