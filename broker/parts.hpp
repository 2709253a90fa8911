// The parts of the broker: one row each in parts.cpp, made by a function of its own file. Parts are
// made in the order of the rows and destroyed in the reverse order.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "base/result.hpp"

namespace sluice {

struct BrokerContext;

/// Owns whatever the part is made of (services, processes, tables).
using Part = std::shared_ptr<void>;

enum class Stage {
    core,  // before the first client is let in
    rc1,   // in state init, with the lead's configuration; left out when broker.rc1_path is set
};
enum class Ranks { all, lead };

struct PartRow {
    std::string_view name;
    Stage stage;
    Ranks ranks;
    Result<Part> (*make)(BrokerContext& context);
};

std::span<const PartRow> broker_parts();

// One line a part.
Result<Part> make_attr(BrokerContext& context);
Result<Part> make_broker_core(BrokerContext& context);
Result<Part> make_job_launcher(BrokerContext& context);
Result<Part> make_content(BrokerContext& context);
Result<Part> make_config(BrokerContext& context);
Result<Part> make_cron(BrokerContext& context);
Result<Part> make_event(BrokerContext& context);
Result<Part> make_feasibility(BrokerContext& context);
Result<Part> make_kvs(BrokerContext& context);
Result<Part> make_groups(BrokerContext& context);
Result<Part> make_heartbeat(BrokerContext& context);
Result<Part> make_log(BrokerContext& context);
Result<Part> make_module(BrokerContext& context);
Result<Part> make_overlay(BrokerContext& context);
Result<Part> make_parent(BrokerContext& context);
Result<Part> make_relays(BrokerContext& context);
Result<Part> make_resource(BrokerContext& context);
Result<Part> make_rexec(BrokerContext& context);
Result<Part> make_shutdown(BrokerContext& context);
Result<Part> make_startlog(BrokerContext& context);
Result<Part> make_state_machine(BrokerContext& context);
Result<Part> make_jobs(BrokerContext& context);

}  // namespace sluice
