// Every service of a broker of one, behind its router. An input is up to 16 lines, a message each:
//
//     TOPIC FLAGS PAYLOAD
//
// FLAGS are letters: s streaming, n no response, g from a guest, b raw bytes; - for none.
//
// A request gets at most one final response, and only to a matchtag that waits for one. What runs
// programs, and what ends the broker, is left out of the parts below.
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <csignal>
#include <cstdlib>
#include <future>
#include <map>
#include <thread>

#include "broker/broker.hpp"
#include "broker/context.hpp"
#include "broker/parts.hpp"
#include "t/fuzz/fuzz.hpp"
#include "t/fuzz/json_mutator.hpp"

namespace sluice {
namespace {

constexpr std::size_t messages_max = 16;
constexpr int turns_per_input = 3;

BrokerContext* context = nullptr;
std::promise<void> started;

/// A client: what it sent and what came back.
class Client : public Endpoint {
  public:
    Client() : route_(context->router.attach(this)) {}

    void send(std::string_view line) {
        const std::size_t topic = line.find(' ');
        if (topic == std::string_view::npos || topic == 0) return;
        const std::size_t flags = line.find(' ', topic + 1);
        if (flags == std::string_view::npos) return;
        const std::string_view letters = line.substr(topic + 1, flags - topic - 1);
        const auto has = [&](char letter) { return letters.find(letter) != letters.npos; };
        Message message = Message::request(std::string{line.substr(0, topic)});
        message.flags |= message_flag::route;
        message.cred = has('g') ? Credential{UserId{1001}, role::user | role::local}
                                : Credential{UserId{1000}, role::owner | role::local};
        if (has('s')) message.flags |= message_flag::streaming;
        if (has('n')) message.flags |= message_flag::noresponse;
        message.aux2 = has('n') ? 0 : ++last_;
        message.routes = {route_};
        const std::string_view payload = line.substr(flags + 1);
        if (has('b')) message.set_bytes(std::string{payload});
        else if (!payload.empty()) message.set_text(payload);
        // A file named by an attribute would be written.
        if (message.topic == "attr.set" && payload.find('/') != payload.npos) return;
        if (!has('n')) waiting_[last_] = has('s');
        context->router.request(std::move(message));
    }

    void deliver(Message message) override {
        if (message.type != MessageType::response) return;
        const auto found = waiting_.find(message.matchtag());
        SLUICE_ASSERT(found != waiting_.end());
        if (!found->second || message.errnum() != 0) waiting_.erase(found);
    }

    /// As the local socket does when a client is gone.
    void hang_up() {
        for (const char* service :
             {"attr", "broker", "config", "content", "content-backing", "cron", "groups",
              "job-exec", "job-info", "job-list", "job-manager", "kvs", "kvs-watch", "log",
              "module", "overlay", "resource"})
            send(fmt::format("{}.disconnect n ", service));
        context->router.detach(route_, this);
    }

  private:
    std::string route_;
    Matchtag last_ = 0;
    std::map<Matchtag, bool> waiting_;  // streaming
};

Result<Part> make_harness(BrokerContext& made) {
    context = &made;
    made.on_state.add([](const std::string& state) {
        if (state == "run") started.set_value();
    });
    return Part{};
}

constexpr PartRow rows[] = {
    {"attr", Stage::core, Ranks::all, make_attr},
    {"log", Stage::core, Ranks::all, make_log},
    {"broker", Stage::core, Ranks::all, make_broker_core},
    {"event", Stage::core, Ranks::all, make_event},
    {"module", Stage::core, Ranks::all, make_module},
    {"config", Stage::core, Ranks::all, make_config},
    {"groups", Stage::core, Ranks::all, make_groups},
    {"overlay", Stage::core, Ranks::all, make_overlay},
    {"content", Stage::core, Ranks::lead, make_content},
    {"harness", Stage::core, Ranks::all, make_harness},
    {"kvs", Stage::rc1, Ranks::lead, make_kvs},
    {"resource", Stage::rc1, Ranks::all, make_resource},
    {"feasibility", Stage::rc1, Ranks::lead, make_feasibility},
    {"jobs", Stage::rc1, Ranks::lead, make_jobs},
    {"cron", Stage::rc1, Ranks::lead, make_cron},
};

void start_broker() {
    char folder[] = "/tmp/sluice-fuzz-XXXXXX";
    SLUICE_ASSERT(::mkdtemp(folder));
    ::setenv("TMPDIR", folder, 1);
    BrokerOptions options;
    for (const char* name : {"broker.rc2_none=1", "broker.boot-method=single",
                             "log-stderr-mode=local", "log-stderr-level=0"})
        options.attributes.emplace_back(name);
    options.attributes.push_back(fmt::format("statedir={}", folder));
    for (const char* conf : {"fake-resources.nnodes=4", "fake-resources.cores-per-node=4",
                             "job-manager.inactive-num-limit=100", "resource.journal-max=100"})
        options.conf.emplace_back(conf);
    std::thread{[options] {
        auto broker = Broker::open(options);
        SLUICE_ASSERT(broker);
        (void)(*broker)->run();
        SLUICE_ASSERT(false);  // nothing above may end it
    }}.detach();
    started.get_future().wait();
    // libFuzzer's clock would be taken for a wish to end.
    ::signal(SIGALRM, SIG_IGN);
    for (const int signum : {SIGHUP, SIGINT, SIGTERM}) ::signal(signum, SIG_DFL);
}

/// Lets the broker take `turns` more turns, then calls `done`.
void after_turns(int turns, std::function<void()> done) {
    boost::asio::post(context->io, [turns, done = std::move(done)] {
        turns == 0 ? done() : after_turns(turns - 1, done);
    });
}

}  // namespace

std::span<const PartRow> broker_parts() {
    return rows;
}

}  // namespace sluice

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    sluice::start_broker();
    return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t size_max, unsigned seed) {
    return sluice::fuzz::mutate_line(data, size, size_max, seed);
}

SLUICE_FUZZ(text) {
    using namespace sluice;
    std::promise<void> done;
    std::shared_ptr<Client> client;
    boost::asio::post(context->io, [&, text] {
        client = std::make_shared<Client>();
        std::string_view rest = text;
        for (std::size_t i = 0; i < messages_max && !rest.empty(); ++i) {
            const std::size_t end = std::min(rest.find('\n'), rest.size());
            client->send(rest.substr(0, end));
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        after_turns(turns_per_input, [&] {
            client->hang_up();
            after_turns(1, [&] { done.set_value(); });
        });
    });
    done.get_future().wait();
}
