#include "base/aio/name_lookup.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <resolv.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <system_error>
#include <thread>

#include "base/aio/thread_port.hpp"

namespace sluice {
namespace {

using Addresses = std::vector<std::string>;

constexpr std::size_t open_max = 8;  // questions at a time
constexpr int resend_s = 1, sends = 2;

struct Answer {
    Addresses addresses;
    bool last = false;  // of its question
};

/// What threads and reactor share: answers, and a descriptor that is readable when there are some.
struct Mailbox {
    ThreadPort<Answer> answers{2 * open_max};
    const int wake = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    Mailbox() = default;
    Mailbox(const Mailbox&) = delete;
    Mailbox& operator=(const Mailbox&) = delete;
    ~Mailbox() { ::close(wake); }
    void put(Answer answer) {
        if (answers.push(std::move(answer))) ::eventfd_write(wake, 1);
    }
};

void append(Addresses& addresses, const std::string& name, int family) {
    addrinfo hints{};
    hints.ai_family = family;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (::getaddrinfo(name.c_str(), nullptr, &hints, &found) != 0) return;
    for (const addrinfo* each = found; each; each = each->ai_next) {
        char text[NI_MAXHOST] = {};
        if (::getnameinfo(each->ai_addr, each->ai_addrlen, text, sizeof text, nullptr, 0,
                          NI_NUMERICHOST) != 0)
            continue;
        addresses.push_back(family == AF_INET6 ? "[" + std::string{text} + "]" : text);
    }
    ::freeaddrinfo(found);
}

/// The two families one after the other: asked at once from one socket, as is usual, one of the
/// two packets is lost in many a cluster. IPv4 does not wait for IPv6.
void look_up(const std::shared_ptr<Mailbox>& mailbox, const std::string& name) {
    if (::res_init() == 0) {  // of this thread
        _res.retrans = std::min(_res.retrans, resend_s);
        _res.retry = std::min(_res.retry, sends);
    }
    Addresses addresses;
    append(addresses, name, AF_INET);
    if (!addresses.empty()) mailbox->put({.addresses = addresses});
    append(addresses, name, AF_INET6);
    mailbox->put({.addresses = std::move(addresses), .last = true});
}

}  // namespace

class NameLookup::State : public std::enable_shared_from_this<State> {
  public:
    State(boost::asio::io_context& io, std::string name, OnAnswer on_answer)
        : name_(std::move(name)),
          on_answer_(std::move(on_answer)),
          readable_(io, ::dup(mailbox_->wake)) {}
    void close() {
        mailbox_->answers.close();
        on_answer_ = nullptr;
        readable_.close();
    }
    void ask() {
        if (open_ == open_max) return;
        try {
            std::thread(look_up, mailbox_, name_).detach();
            ++open_;
        } catch (const std::system_error&) {
            // No thread to be had now: whoever asks asks again.
        }
    }
    void wait() {
        readable_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                             [self = weak_from_this()](boost::system::error_code error) {
                                 const auto state = self.lock();
                                 if (!state || error) return;
                                 state->deliver();
                                 state->wait();
                             });
    }

  private:
    void deliver() {
        eventfd_t count = 0;
        ::eventfd_read(mailbox_->wake, &count);
        for (const Answer& answer :
             mailbox_->answers.take_all_within(std::chrono::milliseconds(0))) {
            if (answer.last) --open_;
            if (on_answer_) on_answer_(answer.addresses);
        }
    }

    const std::string name_;
    OnAnswer on_answer_;
    const std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
    boost::asio::posix::stream_descriptor readable_;
    std::size_t open_ = 0;
};

NameLookup::NameLookup(boost::asio::io_context& io, std::string name, OnAnswer on_answer)
    : state_(std::make_shared<State>(io, std::move(name), std::move(on_answer))) {
    state_->wait();
}
NameLookup::~NameLookup() { state_->close(); }
void NameLookup::ask() { state_->ask(); }

}  // namespace sluice
