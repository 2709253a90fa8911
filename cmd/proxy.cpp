// flux proxy: a local socket that leads to another instance, and a shell or command that uses it.
// Each client of the socket gets a connection of its own to the broker, so that credentials,
// handshake and disconnects stay the broker's own business.
#include <fmt/format.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdlib>

#include "base/aio/subprocess.hpp"
#include "base/rpc/local_socket.hpp"
#include "cmd/byte_relay.hpp"
#include "cmd/cli.hpp"
#include "cmd/commands.hpp"
#include "cmd/instance.hpp"
#include "cmd/uri_resolver.hpp"

namespace sluice {
namespace {

namespace asio = boost::asio;
using Local = asio::local::stream_protocol;
constexpr auto own_end_wait = std::chrono::milliseconds(200);
constexpr std::string_view protocol_level = "0.88.";  // major.minor that we speak

struct ProxyOptions {
    bool force = false, nohup = false, reconnect = false;
    std::vector<std::string> words;
};

/// A private folder for the socket, removed with it.
class SocketFolder {
  public:
    static Result<SocketFolder> make() {
        const char* tmp = std::getenv("TMPDIR");
        std::string name = std::string{tmp ? tmp : "/tmp"} + "/flux-proxy-XXXXXX";
        if (!::mkdtemp(name.data())) return fail(errno, "{}: {}", name, Error{errno}.text());
        return SocketFolder{name};
    }
    SocketFolder(SocketFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    ~SocketFolder() {
        if (path_.empty()) return;
        ::unlink(socket().c_str());
        ::rmdir(path_.c_str());
    }
    std::string socket() const { return path_ + "/local-proxy"; }

  private:
    explicit SocketFolder(std::string path) : path_(std::move(path)) {}
    std::string path_;
};

class Proxy {
  public:
    Proxy(Handle& broker, std::string target, const SocketFolder& folder)
        : broker_(broker), target_(std::move(target)), acceptor_(broker.io()) {
        acceptor_.open();
        boost::system::error_code error;
        acceptor_.bind(Local::endpoint(folder.socket()), error);
        if (!error) acceptor_.listen(Local::acceptor::max_listen_connections, error);
        if (error) failure_ = fail(error.value(), "{}: {}", folder.socket(), error.message());
    }

    /// Runs the child to its end; its exit code.
    Result<int> run(const ProxyOptions& options, const std::string& uri) {
        if (failure_) return *failure_;
        accept();
        ::signal(SIGINT, SIG_IGN);  // the terminal's signals are the child's
        ::signal(SIGQUIT, SIG_IGN);
        if (options.nohup) ::signal(SIGHUP, SIG_IGN);
        ::setenv("FLUX_URI", uri.c_str(), 1);
        ::unsetenv("FLUX_KVS_NAMESPACE");
        const char* shell = std::getenv("SHELL");
        SubprocessOptions child{.argv = {shell ? shell : "/bin/sh"}, .new_group = false};
        child.stdin_kind = StdioKind::inherit;
        std::string text;
        for (const std::string& word : options.words) text += (text.empty() ? "" : " ") + word;
        if (!text.empty()) child.argv.insert(child.argv.end(), {"-c", text});
        std::optional<int> status;
        SLUICE_TRY(const auto process, Subprocess::start(broker_.io(), std::move(child),
                                                         {.on_exit = [&](int s) { status = s; }}));
        asio::steady_timer own_end{broker_.io()};
        broker_.on_lost([&] {
            if (options.nohup || options.reconnect) return;
            // A child that waited for just this (flux shutdown) ends by itself.
            own_end.expires_after(own_end_wait);
            own_end.async_wait([&](const boost::system::error_code& error) {
                if (!error && !status) hang_up(*process);
            });
        });
        while (!status) broker_.io().run_one();
        return exit_code_of(*status);
    }

  private:
    static void hang_up(Subprocess& child) {
        fmt::print(stderr,
                   "flux-proxy: Lost connection with Flux\n"
                   "flux-proxy: Sending SIGHUP to child processes\n");
        (void)child.kill(SIGHUP);
        (void)child.kill(SIGCONT);
    }
    void accept() {
        acceptor_.async_accept(
            [this](const boost::system::error_code& error, Local::socket client) {
                if (error) return;
                serve(std::move(client));
                accept();
            });
    }

    void serve(Local::socket client) {
        const auto broker = connect_unix(target_);
        if (!broker) return;  // the client sees its connection closed
        boost::system::error_code ignored;
        const int fd = client.release(ignored);
        ByteRelay::start(broker_.io(),
                         {.left_in = fd, .left_out = fd, .right_in = *broker, .right_out = *broker},
                         {});
    }

    Handle& broker_;
    std::string target_;
    Local::acceptor acceptor_;
    std::optional<Error> failure_;
};

Result<void> check_version(Handle& flux, bool force) {
    SLUICE_TRY(const std::string version, flux.attr("version"));
    if (force || version.starts_with(protocol_level)) return {};
    return fail(EINVAL, "flux-proxy: Flux version mismatch: {} is not {}x; use --force to override",
                version, protocol_level);
}

Result<int> run_proxy(const std::string& uri, const ProxyOptions& options) {
    SLUICE_TRY(Handle flux, Handle::open(uri));
    SLUICE_CHECK(check_version(flux, options.force));
    SLUICE_TRY(const std::string path, local_socket_path(uri));
    SLUICE_TRY(const SocketFolder folder, SocketFolder::make());
    return Proxy{flux, path, folder}.run(options, "local://" + folder.socket());
}

}  // namespace

int cmd_proxy(int argc, char** argv) {
    ProxyOptions options;
    Cli cli("flux-proxy", CliStyle::c_tool, "[OPTIONS] JOBID|URI [COMMAND...]",
            "Run a shell or COMMAND against another instance.");
    cli.flag("-f,--force", options.force, "Allow another version of the broker");
    cli.flag("-n,--nohup", options.nohup, "Go on when the connection is lost");
    cli.flag("--reconnect", options.reconnect, "Go on, new clients connect again");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().empty()) return cli.usage_error("give a job id or URI");
    const std::string& target = cli.words()[0];
    options.words.assign(cli.words().begin() + 1, cli.words().end());
    const auto uri = resolve_target_uri(target, UriForm::reachable);
    if (!uri) return cli.error(fmt::format("Unable to resolve {} to a URI", target));
    const auto code = run_proxy(*uri, options);
    return code ? *code : cli.error(fmt::format("{}: {}", *uri, code.error().text()));
}

}  // namespace sluice
