// What the broker gives to each of its parts: the reactor, the router, attributes, configuration,
// the instance's shape, and the places where a part hooks into the life of the broker.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log_line.hpp"
#include "base/json.hpp"
#include "base/result.hpp"
#include "base/rfc/hostlist.hpp"
#include "base/rfc/idset.hpp"
#include "base/strong_id.hpp"
#include "broker/router/router.hpp"

namespace boost::asio {
class io_context;
}

namespace sluice {

class Attributes;
class ConfigStore;
struct ResourceHub;
std::shared_ptr<ResourceHub> new_resource_hub();
struct ContentHub;
class GroupsService;
class KvsCommits;
class Lifecycle;
class LocalServer;
class Logger;
class Overlay;

/// Callbacks in the order they were added. Not removed: parts live until the reactor has stopped.
template <class... Args>
class CallbackList {
  public:
    void add(std::function<void(Args...)> callback) { callbacks_.push_back(std::move(callback)); }
    void operator()(Args... args) const {
        for (std::size_t i = 0; i < callbacks_.size(); ++i) callbacks_[i](args...);
    }

  private:
    std::vector<std::function<void(Args...)>> callbacks_;
};

/// One step of a stage; it must call `done` exactly once, now or later.
struct StageStep {
    std::string name;
    std::function<void(std::function<void(Result<void>)> done)> run;
};

/// Work put off to the end of the current reactor turn: everything that is ready in one turn is
/// handled first, so that one commit or one message can carry the results of all of it.
class TurnEnd {
  public:
    void post(std::function<void()> work) { work_.push_back(std::move(work)); }
    bool empty() const { return work_.empty(); }
    /// Runs what was posted; what that posts in turn belongs to the next turn.
    void run() {
        for (auto& work : std::exchange(work_, {})) work();
    }

  private:
    std::vector<std::function<void()>> work_;
};

struct BrokerContext {
    boost::asio::io_context& io;
    Router& router;
    Attributes& attributes;
    ConfigStore& config;
    Logger& log;
    LocalServer& local_server;

    Rank rank;
    std::uint32_t size = 1;
    Hostlist hosts;           // by rank
    std::string hostname;     // of this broker
    std::string rundir;       // of this broker
    std::string statedir;     // rank 0 only

    TurnEnd turn_end;

    /// Rank 0 only. Ranks that became reachable (joined broker.online), and ranks that are gone
    /// with the reason; each is called on the reactor, between other work.
    CallbackList<const Idset&> on_online;
    CallbackList<const Idset&, const std::string&> on_lost;
    /// Where resource service and scheduler meet (broker/resource_hub.hpp).
    std::shared_ptr<ResourceHub> resources = new_resource_hub();
    /// Rank 0 only: the store (broker/service/content.hpp).
    std::shared_ptr<ContentHub> content;
    /// Rank 0 only: the KVS, for parts that keep something in it (broker/service/kvs_commits.hpp).
    KvsCommits* kvs = nullptr;
    /// The state was entered: init, quorum, run, cleanup, shutdown, … (cli.md 4.3).
    CallbackList<const std::string&> on_state;
    /// A module was loaded (true) or removed by its name (design.md 10: names of parts of ours).
    CallbackList<std::string_view, bool> on_module;
    /// A child came, went, or its subtree changed its status.
    CallbackList<> on_health;

    /// Built-in work of the stages. rc1 steps run in order in state init, before rc1 scripts;
    /// cleanup steps (rank 0) in state cleanup after pushed commands; rc3 steps, last added first,
    /// in state finalize.
    std::vector<StageStep> rc1_steps, cleanup_steps, rc3_steps;
    Overlay* overlay = nullptr;       // null in an instance of one broker
    Lifecycle* lifecycle = nullptr;
    GroupsService* groups = nullptr;  // set by its part
    /// Reads the configuration's files again.
    std::function<Result<JsonObject>()> read_config;
    /// Ends the broker: the fault of a part that cannot go on (exit code 1).
    std::function<void(std::string_view text)> panic;
};

}  // namespace sluice
