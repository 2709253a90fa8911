// flux relay: the far end of `flux proxy ssh://…`: standard input and output are a connection to
// the broker's socket.
#include <unistd.h>

#include <boost/asio/io_context.hpp>

#include "cmd/byte_relay.hpp"
#include "cmd/cli.hpp"
#include "cmd/commands.hpp"
#include "cmd/socket_path.hpp"

namespace sluice {

int cmd_relay(int argc, char** argv) {
    Cli cli("flux-relay", CliStyle::c_tool, "PATH",
            "Relay standard input and output to the socket at PATH.");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() != 1) return cli.usage_error("give the path of a socket");
    const auto socket = connect_socket(cli.words()[0]);
    if (!socket) return cli.error(socket.error().text());
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
