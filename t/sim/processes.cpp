// The zygote and the connections of shells, in place of broker/exec/zygote_client.cpp and
// broker/connector/local_server.cpp.
#include <unistd.h>

#include <csignal>
#include <map>

#include "broker/connector/client_notices.hpp"
#include "broker/connector/local_server.hpp"
#include "broker/exec/zygote_client.hpp"
#include "t/sim/checks.hpp"
#include "t/sim/host.hpp"
#include "t/sim/processes.hpp"
#include "t/sim/shell.hpp"

namespace sluice {

using sim::Host;
using sim::Shell;
using sim::world;

namespace {

constexpr int pids_from = 1 << 24;  // above those of the machine
int next_pid = pids_from;

/// A shell that was ordered and is not connected yet: adopt() follows order().
std::shared_ptr<Shell> ordered;

sim::Time soon() { return world().now() + world().rng.range(20, 400) * sim::microsecond; }

/// The broker's end of a shell's connection. What is said on it keeps its order.
class Connection : public Endpoint, public std::enable_shared_from_this<Connection> {
  public:
    Connection(Router& router, Credential peer, std::shared_ptr<Shell> shell,
               std::function<void()> on_close)
        : host_(sim::current_host()),
          router_(router),
          peer_(peer),
          shell_(std::move(shell)),
          on_close_(std::move(on_close)),
          route_(router.attach(this)) {}
    ~Connection() override { shell_->on_lost(); }

    const std::string& route() const { return route_; }
    /// To the shell.
    void deliver(Message message) override {
        if (!open_) return;
        to_shell_ = std::max(to_shell_ + 1, soon());
        world().at(to_shell_, [shell = shell_, message = std::move(message)] {
            shell->receive(message);
        });
    }
    /// From the shell.
    void send(Message message) {
        post([message = std::move(message)](Connection& self) mutable {
            message.cred = self.peer_;
            message.flags |= message_flag::route;
            message.routes.push_back(self.route_);
            self.notices_.used(message);
            self.router_.request(std::move(message));
        });
    }
    void close_later() {
        post([](Connection& self) { self.close(); });
    }
    void close() {
        if (!std::exchange(open_, false)) return;
        router_.detach(route_, this);
        for (Message& notice : notices_.take()) router_.request(std::move(notice));
        if (on_close_) on_close_();
    }

  private:
    void post(std::function<void(Connection&)> work) {
        from_shell_ = std::max(from_shell_ + 1, soon());
        host_.post(from_shell_, [self = weak_from_this(), work = std::move(work)] {
            const auto connection = self.lock();
            if (connection && connection->open_) work(*connection);
        });
    }

    Host& host_;
    Router& router_;
    Credential peer_;
    std::shared_ptr<Shell> shell_;
    std::function<void()> on_close_;
    std::string route_;
    ClientNotices notices_;
    sim::Time to_shell_ = 0, from_shell_ = 0;
    bool open_ = true;
};

}  // namespace

class LocalServer::State {
  public:
    Router& router;
    std::map<std::string, std::shared_ptr<Connection>> connections;
    std::shared_ptr<bool> alive = std::make_shared<bool>(true);
};

LocalServer::LocalServer(boost::asio::io_context&, Router& router, Options)
    : state_(new State{router, {}}) {}
LocalServer::~LocalServer() { *state_->alive = false; }
Result<void> LocalServer::listen(const std::string&) { return {}; }
std::size_t LocalServer::client_count() const { return state_->connections.size(); }
void LocalServer::set_access(AccessPolicy) {}

namespace {

std::map<const Shell*, std::weak_ptr<Connection>> by_shell;

}  // namespace

std::string LocalServer::adopt(int socket, Credential peer, std::function<void()> on_close) {
    ::close(socket);
    const std::shared_ptr<Shell> shell = std::exchange(ordered, nullptr);
    auto route = std::make_shared<std::string>();
    auto connection = std::make_shared<Connection>(
        state_->router, peer, shell,
        [this, alive = state_->alive, route, on_close = std::move(on_close)] {
            if (!*alive) return;
            state_->connections.erase(*route);
            on_close();
        });
    *route = connection->route();
    state_->connections[*route] = connection;
    by_shell[shell.get()] = connection;
    return *route;
}

bool LocalServer::push(const std::string& route, const Message& message) {
    const auto found = state_->connections.find(route);
    if (found == state_->connections.end()) return false;
    found->second->deliver(message);
    return true;
}

void LocalServer::close() {
    const auto connections = std::exchange(state_->connections, {});
    if (sim::current_host().crashing()) return;
    for (const auto& [route, connection] : connections) connection->close();
}

ZygoteClient::ZygoteClient(boost::asio::io_context& io, Callbacks callbacks)
    : io_(io), callbacks_(std::move(callbacks)), control_(io), exit_(io) {}

Result<void> ZygoteClient::order(JobId id, OwnedFd) {
    Host& host = sim::current_host();
    const int pid = next_pid++;
    auto started = std::make_shared<sim::Time>(
        world().now() + world().rng.range(200, 3000) * sim::microsecond);
    const auto record = [this, &host, pid, id, started](ZygoteRecord::Kind kind, int status) {
        *started = std::max(*started + 1, soon());
        host.post(*started, [this, kind, pid, id, status] {
            callbacks_.on_record({kind, pid, id.value, status, 0});
        });
    };
    auto holder = std::make_shared<const Shell*>(nullptr);
    const auto connection = [holder] {
        const auto found = by_shell.find(*holder);
        return found == by_shell.end() ? nullptr : found->second.lock();
    };
    ordered = std::make_shared<Shell>(
        host, id, pid,
        Shell::Hooks{.send =
                         [connection](Message message) {
                             if (const auto end = connection()) end->send(std::move(message));
                         },
                     .close =
                         [connection, holder] {
                             if (const auto end = connection()) end->close_later();
                             by_shell.erase(*holder);
                         },
                     .exited =
                         [record, &host, life = host.life()](int status) {
                             if (life == host.life()) record(ZygoteRecord::Kind::exited, status);
                         },
                     .launched = [&host](Shell& shell) { sim::check_launch(host, shell); }});
    *holder = ordered.get();
    host.shells.push_back(ordered);
    record(ZygoteRecord::Kind::started, 0);
    host.kill_zygote = [this, &host] {
        host.post(world().now(), [this] { callbacks_.on_lost(); });
    };
    return {};
}

/// The zygote kills the process that is the shell of `id` when it hears of this.
void ZygoteClient::kill(JobId id) {
    Host& host = sim::current_host();
    for (const auto& shell : host.shells)
        if (shell->id() == id) shell->doom();
    world().at(soon(), [&host, id] {
        for (const auto& shell : std::vector(host.shells))
            if (shell->id() == id) shell->kill(SIGKILL);
    });
}

namespace sim {

void clear_processes() {
    ordered.reset();
    by_shell.clear();
    next_pid = pids_from;
}

}  // namespace sim
}  // namespace sluice
