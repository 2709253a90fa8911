// Services of the lead on the other ranks: kvs, kvs-watch and content live on rank 0 alone, and
// requests to any node find them by walking up. Addressed to a rank of their own (flux ping
// 2!kvs), requests arrive here and go up too; ping and the statistics are answered here.
#include <algorithm>
#include <array>

#include "broker/context.hpp"
#include "broker/parts.hpp"
#include "broker/service/service.hpp"

namespace sluice {
namespace {

class Relay : public Service {
  public:
    Relay(Router& router, std::string name) : Service(router, std::move(name)) {}

  private:
    bool dispatch(std::string_view method, Request& request) override {
        constexpr std::array<std::string_view, 5> here{"ping", "stats-get", "stats-clear", "rusage",
                                                       "debug"};
        if (std::ranges::find(here, method) != here.end()) return false;
        send_up(request.message());
        return true;
    }
    void on_disconnect(const Request& request) override { send_up(request.message()); }

    void send_up(Message message) {
        // To the lead; what was to start at the parent goes on from parent to parent.
        message.aux1 = message.has(message_flag::upstream) ? router().rank().value : 0;
        router().request(std::move(message));
    }
};

struct Relays {
    explicit Relays(Router& router)
        : kvs(router, "kvs"), watch(router, "kvs-watch"), content(router, "content") {}
    Relay kvs, watch, content;
};

}  // namespace

Result<Part> make_relays(BrokerContext& context) {
    if (context.rank.value == 0) return Part{};
    return Part{std::make_shared<Relays>(context.router)};
}

}  // namespace sluice
