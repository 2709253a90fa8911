// state-machine.* and runat.* - the broker's state over RPC, and commands for state cleanup
// (wire.md 2.12).
#include "broker/context.hpp"
#include "broker/lifecycle/lifecycle.hpp"
#include "broker/parts.hpp"
#include "broker/service/service.hpp"
#include "broker/service/streams.hpp"

namespace sluice {
namespace {

class StateMachineService : public RpcService<StateMachineService> {
  public:
    static const RpcTable<StateMachineService> rpcs;

    explicit StateMachineService(BrokerContext& context)
        : RpcService(context.router, "state-machine"), lifecycle_(*context.lifecycle) {
        lifecycle_.on_change.add([this](BrokerState state) { changed(state); });
    }

  private:
    void get(Request request, const JsonObject&) {
        request.respond(JsonObject{{"state", broker_state_name(lifecycle_.state())},
                                   {"duration", lifecycle_.seconds_in_state()}});
    }

    void wait(Request request, const JsonObject&) {
        if (lifecycle_.state() == BrokerState::run) return request.respond();
        if (lifecycle_.state() > BrokerState::run) return past_run(request);
        waiting_.add(std::move(request));
    }

    void monitor(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const auto final = in.integer_or("final", static_cast<std::int64_t>(BrokerState::exit));
        if (!in) return request.fail(in.error());
        const auto state = static_cast<std::int64_t>(lifecycle_.state());
        request.respond(JsonObject{{"state", state}});
        if (!request.streaming()) return;
        if (state >= final) return request.end_stream();
        monitors_.add(std::move(request), final);
    }

    void post(Request, const JsonObject& payload) {
        JsonReader in{payload};
        const std::string event = in.string("event");
        if (in) lifecycle_.post(event);
    }

    static void past_run(const Request& request) {
        request.fail(sluice::fail(ENOENT, "broker has surpassed RUN state"));
    }

    void changed(BrokerState state) {
        const auto number = static_cast<std::int64_t>(state);
        monitors_.remove_if([&](const auto& entry) {
            entry.request.respond(JsonObject{{"state", number}});
            if (number >= entry.state) entry.request.end_stream();
            return number >= entry.state;
        });
        if (state < BrokerState::run) return;
        waiting_.remove_if([&](const auto& entry) {
            if (state == BrokerState::run)
                entry.request.respond();
            else
                past_run(entry.request);
            return true;
        });
    }

    void on_disconnect(const Request& request) override {
        monitors_.disconnect(request.sender());
        waiting_.disconnect(request.sender());
    }

    struct None {};
    Lifecycle& lifecycle_;
    Streams<std::int64_t> monitors_;  // with the state that ends each
    Streams<None> waiting_;
};

const RpcTable<StateMachineService> StateMachineService::rpcs{
    {"get", Caller::user, Body::none, &StateMachineService::get},
    {"wait", Caller::user, Body::none, &StateMachineService::wait},
    {"monitor", Caller::owner, Body::maybe, &StateMachineService::monitor},
    {"post", Caller::owner, Body::json, &StateMachineService::post},
};

class RunatService : public RpcService<RunatService> {
  public:
    static const RpcTable<RunatService> rpcs;
    explicit RunatService(BrokerContext& context)
        : RpcService(context.router, "runat"), lifecycle_(*context.lifecycle) {}

  private:
    void push(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const std::string name = in.string("name");
        const JsonArray& commands = in.array("commands");
        if (!in) return request.fail(in.error());
        if (name != "cleanup")
            return request.fail(
                sluice::fail(EINVAL, "'{}': commands can only be pushed to cleanup", name));
        std::vector<std::string> texts;
        for (const Json& command : commands) {
            if (!command.is_string())
                return request.fail(sluice::fail(EPROTO, "a command is not a string"));
            texts.emplace_back(command.get_string());
        }
        lifecycle_.push_cleanup(texts);
        request.respond();
    }

    Lifecycle& lifecycle_;
};

const RpcTable<RunatService> RunatService::rpcs{
    {"push", Caller::owner, Body::json, &RunatService::push},
};

struct Services {
    explicit Services(BrokerContext& context) : state_machine(context), runat(context) {}
    StateMachineService state_machine;
    RunatService runat;
};

}  // namespace

Result<Part> make_state_machine(BrokerContext& context) {
    return Part{std::make_shared<Services>(context)};
}

}  // namespace sluice
