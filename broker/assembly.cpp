#include "broker/assembly.hpp"

#include "broker/context.hpp"
#include "broker/service/groups.hpp"

namespace sluice {

Result<void> Assembly::make(BrokerContext& context, Stage stage) {
    const bool lead = context.rank.value == 0;
    for (const PartRow& row : broker_parts()) {
        if (row.stage != stage || (row.ranks == Ranks::lead && !lead)) continue;
        if (left_out_.contains(row.name)) continue;
        Result<Part> part = row.make(context);
        if (!part) return part.error().in(row.name);
        parts_.push_back(*std::move(part));
    }
    return {};
}

void Assembly::clear() {
    while (!parts_.empty()) parts_.pop_back();
}

Lifecycle::Effects Assembly::effects(BrokerContext& context, Membership* membership,
                                     std::function<void()> stop) {
    Lifecycle::Effects effects;
    effects.make_parts = [this, &context] { return make(context, Stage::rc1); };
    effects.join = [membership] { membership->join(); };
    effects.sync_config = [membership](std::function<void(Result<void>)> done) {
        membership->sync_config(std::move(done));
    };
    effects.enter_group = [&context] { context.groups->join_broker("broker.online"); };
    effects.children = [membership] { return membership ? membership->children() : Idset{}; };
    effects.goodbye = [membership](std::function<void()> done) {
        membership->goodbye(std::move(done));
    };
    effects.stop = [membership, stop = std::move(stop)] {
        if (membership) membership->abandon_children();
        stop();
    };
    return effects;
}

}  // namespace sluice
