// Groups of brokers by name, kept on rank 0 (wire.md 2.12). A broker is in "broker.online" from
// state quorum on; others join and leave by groups.join and groups.leave. Changes travel up the
// tree, one message a hop and reactor turn.
#pragma once

#include <map>
#include <set>
#include <string>

#include "base/rfc/idset.hpp"
#include "broker/context.hpp"
#include "broker/router/rpc_client.hpp"
#include "broker/service/service.hpp"
#include "broker/service/streams.hpp"

namespace sluice {

class GroupsService : public RpcService<GroupsService> {
  public:
    static const RpcTable<GroupsService> rpcs;
    explicit GroupsService(BrokerContext& context);

    /// This broker itself.
    void join_broker(const std::string& name) {
        change(name, Idset{context_.rank.value}, true, {});
    }
    /// Ranks below us are gone: they leave every group.
    void ranks_lost(const Idset& ranks, const std::string& reason);
    void set_torpid(Rank rank, bool torpid) {
        change("broker.torpid", Idset{rank.value}, torpid, {});
    }

  private:
    struct Change {
        Idset ranks;
        bool set = false;
        std::string reason;
    };
    void join(Request request, const JsonObject& payload);
    void leave(Request request, const JsonObject& payload);
    void get(Request request, const JsonObject& payload);
    void update(Request request, const JsonObject& payload);
    void on_disconnect(const Request& request) override;
    void change(const std::string& name, const Idset& ranks, bool set, const std::string& reason);
    void flush();
    void apply(const std::string& name, const Change& change);
    void send_up(const std::map<std::string, std::vector<Change>>& changes);

    BrokerContext& context_;
    RpcClient rpc_;
    std::map<std::string, std::set<std::string>> clients_;  // local members of a group, by route
    std::map<std::string, Idset> members_;                  // rank 0
    std::map<std::string, std::vector<Change>> pending_;
    std::set<std::string> lost_groups_;  // groups that ranks below us may be in
    Streams<std::string> watchers_;      // by group
};

}  // namespace sluice
