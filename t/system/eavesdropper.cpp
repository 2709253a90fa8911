// A stranger with a plain ZeroMQ socket: connects to a broker's TBON endpoint without CURVE and
// waits for anything to arrive. Prints "refused" when nothing did in two seconds, "heard N bytes"
// else.
#include <cstdio>
#include <string>
#include <zmq.hpp>

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    zmq::context_t context;
    zmq::socket_t socket(context, zmq::socket_type::dealer);
    socket.set(zmq::sockopt::rcvtimeo, 2000);
    socket.set(zmq::sockopt::linger, 0);
    socket.connect(argv[1]);
    (void)socket.send(zmq::str_buffer("hello"), zmq::send_flags::dontwait);
    zmq::message_t message;
    if (const auto got = socket.recv(message)) {
        std::printf("heard %zu bytes\n", *got);
        return 1;
    }
    std::puts("refused");
    return 0;
}
