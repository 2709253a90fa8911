// One run of a plan: hosts, users, faults, and then the question whether all comes to rest.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "t/sim/checks.hpp"
#include "t/sim/host.hpp"
#include "t/sim/plan.hpp"

namespace sluice::sim {

struct Outcome {
    std::string wrong;          // empty: nothing
    std::uint64_t digest = 0;   // of all that happened
    double virtual_seconds = 0;
};

class Cluster {
  public:
    Cluster(const Plan& plan, const std::string& folder, bool talks);
    ~Cluster();
    Outcome run();

  private:
    std::unique_ptr<Node> make_node(Host& host);
    void inflict(const Fault& fault);
    void kill_shell(Host& host, double which);
    void submit(std::size_t index);
    void submitted(std::size_t index, const Reply& reply);
    void cancel(std::size_t index, JobId id);
    void heal();
    void look();
    bool at_rest();
    void last_questions();
    void check_resources(const Reply& reply);
    void check_job(JobId id, const Reply& reply);

    Plan plan_;
    World world_;
    NodeOptions options_;
    std::vector<std::unique_ptr<Host>> hosts_;
    Observer observer_;
    std::vector<std::optional<JobId>> ids_;  // of the plan's jobs, once acknowledged
    std::vector<int> attempts_;
    std::size_t open_questions_ = 0;
    bool asked_ = false, done_ = false;
};

}  // namespace sluice::sim
