// flux relay: the far end of `flux proxy ssh://…`: standard input and output are a connection to
// the broker's socket.
#include <unistd.h>

#include <boost/asio/io_context.hpp>

#include "base/rpc/local_socket.hpp"
#include "cmd/byte_relay.hpp"
#include "cmd/cli.hpp"
#include "cmd/commands.hpp"

namespace sluice {

int cmd_relay(int argc, char** argv) {
    Cli cli("flux-relay", CliStyle::c_tool, "PATH",
            "Relay standard input and output to the socket at PATH.");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() != 1) return cli.usage_error("give the path of a socket");
    const std::string& path = cli.words()[0];
    const auto socket = connect_unix(path);
    if (!socket) return cli.error(fmt::format("{}: {}", path, socket.error().text()));
    boost::asio::io_context io;
    ByteRelay::start(io,
                     {.left_in = STDIN_FILENO,
                      .left_out = STDOUT_FILENO,
                      .right_in = *socket,
                      .right_out = *socket},
                     [&] { io.stop(); });
    io.run();
    return 0;
}

}  // namespace sluice
