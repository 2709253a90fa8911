// RFC 27 - a scheduler outside the broker: asks it for resources by sched.alloc and the other
// requests of wire.md 3.8, and turns its answers into decisions.
// Invariant: each ask ends in one Alloc, Deny or Cancelled, or in on_broken for all of them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "broker/context.hpp"
#include "broker/router/rpc_client.hpp"
#include "sched/types.hpp"

namespace sluice {

class OutsideScheduler : private Endpoint {
  public:
    struct Hooks {
        std::function<void(std::vector<Decision>)> decide;
        /// It broke the protocol or cannot be reached: nothing more comes. Called once.
        std::function<void(std::string why)> broken;
    };
    /// `sender`: the route id that its sched-hello came from.
    OutsideScheduler(BrokerContext& context, std::string sender, Hooks hooks);
    ~OutsideScheduler() override;

    const std::string& sender() const { return sender_; }
    /// sched-ready came. `limit`: how many asks it takes at a time, nullopt for all.
    void set_ready(std::optional<std::size_t> limit);
    bool ready() const { return ready_; }

    struct Ask {
        JobId id;
        std::uint32_t priority = 0;
        UserId userid;
        double t_submit = 0;
        JsonObject jobspec;  // without its environment
    };
    void submit(Ask ask);
    void cancel(JobId id);
    void prioritize(const std::vector<std::pair<JobId, std::uint32_t>>& priorities);
    void free(JobId id, const ResourceSet& R, bool final);
    void set_expiration(JobId id, double expiration);
    void status(std::function<void(SchedStatus)> answer);

  private:
    using Place = std::pair<std::int64_t, JobId>;  // of waiting asks: best priority, oldest first
    static Place place_of(const Ask& ask) { return {-std::int64_t{ask.priority}, ask.id}; }

    void deliver(Message message) override;
    void send(std::string_view method, const JsonObject& payload, bool noresponse);
    void send_asks();
    void make_room();
    Result<void> read_answer(const JsonObject& payload);
    template <class Kind>
    void decide(Kind decision);
    void later();
    void tell();
    void fail_with(std::string why);

    BrokerContext& context_;
    const std::string sender_;
    Hooks hooks_;
    std::string route_;
    RpcClient rpc_;
    bool ready_ = false, told_later_ = false;
    std::optional<std::size_t> limit_;
    std::map<JobId, Ask> asks_;       // all that have no answer yet
    std::set<Place> waiting_, sent_;  // each of them is in one
    std::set<JobId> withdrawn_;       // sent, and cancelled to make room for a better one
    std::vector<Decision> decisions_;
    std::optional<std::string> broken_;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace sluice
