#include "shell/run/zygote.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <optional>

#include "base/rfc/fluid.hpp"
#include "base/rpc/zygote_wire.hpp"
#include "shell/run/descendants.hpp"
#include "shell/run/shell.hpp"

namespace sluice::shell {
namespace {

class Zygote {
  public:
    explicit Zygote(int control) : control_(control) {}

    int run();

  private:
    bool take_order();  // false when the launcher is gone
    void launch(const ZygoteOrder& order, int socket);
    void reap();
    void kill_orphans();
    void report(const ZygoteRecord& record);

    int control_, signals_ = -1;
    std::optional<Topology> topology_;
    std::map<pid_t, std::uint64_t> shells_;  // job id of each
};

int Zygote::run() {
    ::fcntl(control_, F_SETFD, FD_CLOEXEC);
    for (int signum = 1; signum < NSIG; ++signum) ::signal(signum, SIG_DFL);
    ::signal(SIGPIPE, SIG_IGN);
    sigset_t child;
    ::sigemptyset(&child);
    ::sigaddset(&child, SIGCHLD);
    ::sigprocmask(SIG_SETMASK, &child, nullptr);
    signals_ = ::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals_ < 0) return 1;
    adopt_orphans();
    if (auto topology = Topology::load()) topology_.emplace(*std::move(topology));
    to_f58(JobId{1});  // looks the locale up once for all shells
    while (true) {
        pollfd events[2] = {{control_, POLLIN, 0}, {signals_, POLLIN, 0}};
        if (::poll(events, 2, -1) < 0 && errno != EINTR) return 1;
        if (events[1].revents) reap();
        if (events[0].revents && !take_order()) return 0;
    }
}

bool Zygote::take_order() {
    ZygoteOrder order;
    iovec data{&order, sizeof order};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t got = ::recvmsg(control_, &message, MSG_CMSG_CLOEXEC);
    if (got < 0) return errno == EINTR || errno == EAGAIN;
    if (got == 0) return false;
    const cmsghdr* header = CMSG_FIRSTHDR(&message);
    if (got != sizeof order || !header || header->cmsg_type != SCM_RIGHTS) return true;
    int socket = -1;
    std::memcpy(&socket, CMSG_DATA(header), sizeof socket);
    launch(order, socket);
    ::close(socket);
    return true;
}

void Zygote::launch(const ZygoteOrder& order, int socket) {
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::close(control_);
        ::close(signals_);
        ::setpgid(0, 0);
        sigset_t none;
        ::sigemptyset(&none);
        ::sigprocmask(SIG_SETMASK, &none, nullptr);
        ::_exit(run_shell(socket, topology_ ? &*topology_ : nullptr));
    }
    ZygoteRecord record;
    record.id = order.id;
    if (pid < 0) {
        record.kind = ZygoteRecord::Kind::failed;
        record.status = errno;
    } else {
        record.pid = pid;
        shells_[pid] = order.id;
    }
    report(record);
}

void Zygote::reap() {
    signalfd_siginfo info;
    while (::read(signals_, &info, sizeof info) > 0) {
    }
    int status = 0;
    bool killed = false;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
        const auto found = shells_.find(pid);
        if (found == shells_.end()) continue;
        ZygoteRecord record;
        record.kind = ZygoteRecord::Kind::exited;
        record.pid = pid;
        record.id = found->second;
        record.status = status;
        killed = killed || WIFSIGNALED(status);
        shells_.erase(found);
        report(record);
    }
    if (killed) kill_orphans();
}

/// What a shell that was killed had to look after has come to us.
void Zygote::kill_orphans() {
    kill_descendants([this](pid_t pid) { return shells_.contains(pid); });
}

void Zygote::report(const ZygoteRecord& record) {
    // The socket's buffer holds thousands of records; a launcher that is gone is seen by recvmsg.
    while (::send(control_, &record, sizeof record, MSG_NOSIGNAL) < 0 && errno == EINTR) {
    }
}

}  // namespace

int run_zygote(int control) {
    return Zygote{control}.run();
}

}  // namespace sluice::shell
