#include "cmd/job/attach_pty.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <cstdio>
#include <optional>

#include "base/rfc/io_data.hpp"

namespace sluice {
namespace {

constexpr std::size_t piece_bytes = 4096;
constexpr std::string_view end_of_input = "\x04";

JsonObject window_size() {
    struct winsize size {};
    // Without a terminal of our own the job's is one character large, as the reference has it.
    if (::ioctl(STDIN_FILENO, TIOCGWINSZ, &size) < 0) size.ws_row = size.ws_col = 1;
    JsonObject window;
    window["rows"] = size.ws_row;
    window["cols"] = size.ws_col;
    return window;
}

}  // namespace

class AttachPty::State : public std::enable_shared_from_this<State> {
  public:
    State(Handle& flux, std::string topic, std::uint32_t leader, std::function<void()> on_end)
        : flux_(flux),
          topic_(std::move(topic)),
          leader_(leader),
          on_end_(std::move(on_end)),
          stdin_(flux.io()),
          resizes_(flux.io(), SIGWINCH) {}
    ~State() { close(); }

    void start() {
        JsonObject request;
        request["type"] = "attach";
        request["mode"] = "rw";
        request["winsize"] = window_size();
        auto self = shared_from_this();
        flux_.send(topic_, request, RpcOptions{.nodeid = leader_, .streaming = true},
                   [self](const Reply& reply) { self->on_reply(reply); });
    }

    void close() {
        over_ = true;
        if (stdin_.is_open()) stdin_.release();
        resizes_.cancel();
        if (saved_) ::tcsetattr(STDIN_FILENO, TCSADRAIN, &*saved_);
        saved_.reset();
    }

  private:
    void on_reply(const Reply& reply) {
        const Result<JsonObject> payload = reply.json();
        if (!payload) {
            if (!reply.end_of_stream() && !over_)
                fmt::print(stderr, "flux-job: terminal: {}\r\n", reply.error().text());
            close();
            return on_end_();
        }
        JsonReader in(*payload);
        const std::string type = in.string_or("type", "");
        if (type == "attach") on_attached();
        if (type == "data") on_data(*payload);
        if (type == "exit") close();
    }

    void on_attached() {
        struct termios mode {};
        if (::isatty(STDIN_FILENO) && ::tcgetattr(STDIN_FILENO, &mode) == 0) {
            saved_ = mode;
            ::cfmakeraw(&mode);
            ::tcsetattr(STDIN_FILENO, TCSADRAIN, &mode);
        }
        boost::system::error_code error;
        stdin_.assign(STDIN_FILENO, error);
        if (error)  // a file, which cannot be polled
            read();
        else
            wait_for_input();
        wait_for_resize();
    }

    void on_data(const JsonObject& payload) {
        JsonObject io = payload;  // the same keys as an io object but for stream and rank
        io["stream"] = "pty";
        io["rank"] = "0";
        const Result<IoData> data = decode_io(io);
        if (!data) return;
        std::fwrite(data->data.data(), 1, data->data.size(), stdout);
        std::fflush(stdout);
    }

    void wait_for_input() {
        auto self = shared_from_this();
        stdin_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                          [self](const boost::system::error_code& error) {
                              if (!error) self->read();
                          });
    }

    void read() {
        if (over_) return;
        std::string bytes(piece_bytes, '\0');
        const ssize_t size = ::read(STDIN_FILENO, bytes.data(), bytes.size());
        bytes.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
        const bool eof = bytes.empty();
        send_data(eof ? end_of_input : bytes, eof);
    }

    void send_data(std::string_view bytes, bool last) {
        JsonObject request = encode_io({.stream = "pty", .rank = "0", .data = std::string{bytes}});
        request.erase("stream");
        request.erase("rank");
        request["type"] = "data";
        auto self = shared_from_this();
        flux_.send(topic_, request, RpcOptions{.nodeid = leader_},
                   [self, last](const Reply& reply) {
                       if (!reply.ok() || last || self->over_) return;
                       if (self->stdin_.is_open())
                           self->wait_for_input();
                       else
                           self->read();
                   });
    }

    void wait_for_resize() {
        resizes_.async_wait([weak = weak_from_this()](const boost::system::error_code& error, int) {
            const auto self = weak.lock();
            if (error || !self) return;
            JsonObject request;
            request["type"] = "resize";
            request["winsize"] = window_size();
            self->flux_.send(self->topic_, request, RpcOptions{.nodeid = self->leader_},
                             [](const Reply&) {});
            self->wait_for_resize();
        });
    }

    Handle& flux_;
    std::string topic_;
    std::uint32_t leader_;
    std::function<void()> on_end_;
    boost::asio::posix::stream_descriptor stdin_;
    boost::asio::signal_set resizes_;
    std::optional<struct termios> saved_;
    bool over_ = false;
};

AttachPty::AttachPty(Handle& flux, std::string topic, std::uint32_t leader,
                     std::function<void()> on_end)
    : state_(std::make_shared<State>(flux, std::move(topic), leader, std::move(on_end))) {}

AttachPty::~AttachPty() {
    state_->close();
}

void AttachPty::start() {
    state_->start();
}

}  // namespace sluice
