// The PMI barrier between the shells of a job: keys are gathered up a tree of shells and the union
// comes back down (wire.md 4.1). A shell joins when its own tasks are in the barrier and all its
// children have sent theirs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pmi/server_fsm.hpp"

namespace sluice::shell {

class PmiExchange {
  public:
    struct Options {
        std::uint32_t shell_rank, nnodes, fanout;
        bool has_tasks;  // a shell without tasks only passes keys on
    };
    explicit PmiExchange(Options options) : options_(options) {}

    std::optional<std::uint32_t> parent() const;
    std::uint32_t children() const;

    struct Step {
        std::optional<pmi::KeyValues> to_parent;    // send these up
        std::optional<pmi::KeyValues> to_children;  // answer all children, deliver to own tasks
        friend bool operator==(const Step&, const Step&) = default;
    };
    Step on_local(const pmi::KeyValues& keys);
    Step on_child(const pmi::KeyValues& keys);
    Step on_parent(const pmi::KeyValues& keys);

  private:
    Step gathered();

    Options options_;
    pmi::KeyValues keys_;
    bool local_ready_ = false;
    std::uint32_t children_ready_ = 0;
};

}  // namespace sluice::shell
