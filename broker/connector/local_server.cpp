#include "broker/connector/local_server.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <unordered_map>

#include "base/rpc/local_socket.hpp"
#include "broker/connector/local_client.hpp"

namespace sluice {

namespace asio = boost::asio;
using boost::system::error_code;
using Protocol = asio::local::stream_protocol;

namespace {

/// Asio leaves its sockets open across exec; a program that outlives the broker must not hold them,
/// or clients of a dead broker would wait for a welcome for ever.
void close_on_exec(int fd) {
    ::fcntl(fd, F_SETFD, FD_CLOEXEC);
}

}  // namespace

class LocalServer::State {
  public:
    State(asio::io_context& io, Router& router, Options options)
        : io_(io), router_(router), options_(std::move(options)), acceptor_(io), retry_(io) {
        if (!options_.log) options_.log = [](const std::string&) {};
    }

    void accept() {
        acceptor_.async_accept([this](error_code error, Protocol::socket socket) {
            if (error == asio::error::operation_aborted) return;
            if (error == asio::error::no_descriptors) return pause();
            starved_ = false;
            if (!error) welcome(std::move(socket));
            if (acceptor_.is_open()) accept();
        });
    }

    /// Clients that find no descriptor left wait in the backlog until others have gone.
    void pause() {
        if (!std::exchange(starved_, true))
            options_.log(
                "local socket: no file descriptor is left for another client; raise the limit "
                "(ulimit -n)");
        retry_.expires_after(std::chrono::milliseconds(100));
        retry_.async_wait([this](error_code error) {
            if (!error && acceptor_.is_open()) accept();
        });
    }

    void welcome(Protocol::socket socket) {
        close_on_exec(socket.native_handle());
        ucred peer{};
        socklen_t size = sizeof peer;
        if (::getsockopt(socket.native_handle(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
            return;
        const auto credential = admit(options_.access, UserId{peer.uid});
        const unsigned char verdict =
            credential ? 0 : static_cast<unsigned char>(credential.error().errnum());
        if (::send(socket.native_handle(), &verdict, 1, MSG_NOSIGNAL) != 1) return;
        if (!credential) return options_.log("local socket: refused: " + credential.error().text());
        add(std::move(socket), *credential, {});
    }

    std::string add(Protocol::socket socket, Credential peer, std::function<void()> on_close) {
        LocalClient::Hooks hooks{
            .online = options_.online,
            .log = options_.log,
            .gone = [this, on_close = std::move(on_close)](const std::string& route) {
                clients_.erase(route);
                if (on_close) on_close();
            }};
        auto client =
            std::make_shared<LocalClient>(std::move(socket), router_, peer, std::move(hooks));
        clients_[client->route()] = client;
        client->start();
        return client->route();
    }

    asio::io_context& io_;
    Router& router_;
    Options options_;
    Protocol::acceptor acceptor_;
    asio::steady_timer retry_;
    bool starved_ = false;  // of descriptors, and it was said
    std::unordered_map<std::string, std::shared_ptr<LocalClient>> clients_;
    std::string path_;
};

namespace {

/// Whether somebody listens on the socket at `path`.
bool answers(const std::string& path) {
    const auto socket = connect_unix(path);
    if (socket) ::close(*socket);
    return socket.has_value();
}

}  // namespace

LocalServer::LocalServer(asio::io_context& io, Router& router, Options options)
    : state_(std::make_unique<State>(io, router, std::move(options))) {}

LocalServer::~LocalServer() {
    close();
}

Result<void> LocalServer::listen(const std::string& path) {
    constexpr std::size_t path_bytes_max = sizeof(sockaddr_un::sun_path) - 1;
    if (path.size() > path_bytes_max)
        return fail(EINVAL, "{}: socket path of {} bytes, limit {}; choose a shorter rundir", path,
                    path.size(), path_bytes_max);
    struct stat status {};
    if (::lstat(path.c_str(), &status) == 0) {
        if (!S_ISSOCK(status.st_mode))
            return fail(EEXIST, "{}: exists and is not a socket; remove it", path);
        if (answers(path))
            return fail(EADDRINUSE, "{}: another broker listens here; choose another rundir", path);
        ::unlink(path.c_str());
    }
    error_code error;
    state_->acceptor_.open(Protocol(), error);
    if (!error) close_on_exec(state_->acceptor_.native_handle());
    if (!error) state_->acceptor_.bind(Protocol::endpoint(path), error);
    if (error) return fail(error.value(), "{}: {}", path, error.message());
    ::chmod(path.c_str(), 0777);
    state_->acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) return fail(error.value(), "{}: {}", path, error.message());
    state_->path_ = path;
    state_->accept();
    return {};
}

std::string LocalServer::adopt(int socket, Credential peer, std::function<void()> on_close) {
    return state_->add(Protocol::socket(state_->io_, Protocol(), socket), peer,
                       std::move(on_close));
}

bool LocalServer::push(const std::string& route, const Message& message) {
    const auto found = state_->clients_.find(route);
    if (found == state_->clients_.end()) return false;
    found->second->write(message);
    return true;
}

void LocalServer::close() {
    error_code ignored;
    state_->acceptor_.close(ignored);
    if (!state_->path_.empty()) ::unlink(std::exchange(state_->path_, {}).c_str());
    const auto clients = std::move(state_->clients_);
    state_->clients_.clear();
    for (const auto& [route, client] : clients) client->close();
}

std::size_t LocalServer::client_count() const {
    return state_->clients_.size();
}

void LocalServer::set_access(AccessPolicy access) {
    state_->options_.access = std::move(access);
}

}  // namespace sluice
