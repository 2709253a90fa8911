// Drives the broker's state machine: does the work of each state and turns its result into the next
// event. Rank 0 runs the initial program; followers go where their parent goes.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "broker/context.hpp"
#include "broker/lifecycle/broker_fsm.hpp"
#include "broker/lifecycle/command_list.hpp"
#include "broker/lifecycle/initial_program.hpp"
#include "broker/router/rpc_client.hpp"

namespace sluice {

class Lifecycle {
  public:
    /// What the broker's other parts do for the states.
    struct Effects {
        std::function<void()> join;         // follower: finds its parent, then parent_state()
        std::function<void(std::function<void(Result<void>)>)> sync_config;  // follower
        std::function<Result<void>()> make_parts;  // the parts of stage rc1
        std::function<void()> enter_group;         // joins broker.online
        std::function<Idset()> children;           // direct children that are online
        std::function<void(std::function<void()>)> goodbye;  // follower: leaves its parent
        std::function<void()> stop;                // the last state was reached
    };
    Lifecycle(BrokerContext& context, InitialProgram program, Effects effects);

    void start() { post("builtins-success"); }
    /// An event of cli.md 4.3; one that means nothing in the present state is ignored.
    void post(const std::string& event);
    /// The parent's state became known, or changed (followers).
    void parent_state(BrokerState state);
    /// The parent is lost, or refuses us for good.
    void parent_lost(const Error& why);
    /// Rank 0: the members of broker.online changed.
    void online_changed(const Idset& online);
    void children_changed();
    void on_signal(int signum);
    /// Asked to end, by a signal or by shutdown.start.
    void shutdown();
    void panic(std::string_view text);
    /// At the very end of a broker that a job's shell started: what the program left behind goes.
    void hang_up_group() const;
    /// Commands run in state cleanup before those pushed earlier.
    void push_cleanup(const std::vector<std::string>& commands);

    BrokerState state() const { return fsm_.state(); }
    double seconds_in_state() const;
    int exit_code() const { return fsm_.exit_code(); }
    /// Why this broker ends by itself; "" when it does not, or was told to.
    const std::string& last_words() const { return last_words_; }
    /// Called after each change of state.
    CallbackList<BrokerState> on_change;

  private:
    void enter(BrokerState state);
    void enter_init();
    void make_rc1_parts();
    void run_steps(std::vector<StageStep> steps, std::size_t next, std::function<void(int)> done);
    void run_rc1_scripts(int code);
    void enter_join();
    void never_joined();
    void enter_quorum();
    void check_quorum();
    void warn_quorum();
    void enter_run();
    void enter_cleanup();
    void enter_shutdown();
    void warn_shutdown();
    void enter_finalize();
    void dump_content(int code);
    void enter_goodbye();
    void stage_done(const std::string& stage, int code);
    void after(double seconds, std::function<void()> work);
    /// Logs why this broker ends.
    void say_last(std::string text);
    std::string hosts_text(const Idset& ranks) const;
    /// The program then stays in our process group, which the terminal or the shell knows.
    bool leads_group() const;
    void pass_on(int signum);
    bool lead() const { return context_.rank.value == 0; }
    std::vector<std::string> environment() const;

    BrokerContext& context_;
    InitialProgram program_;
    Effects effects_;
    BrokerFsm fsm_;
    CommandList commands_;
    boost::asio::steady_timer timer_;
    RpcClient client_;
    std::chrono::steady_clock::time_point entered_, quorum_since_;
    std::vector<std::string> cleanup_commands_;
    Idset online_;
    BrokerState parent_ = BrokerState::load_builtins;
    std::string last_words_;
    bool shutting_down_ = false;
};

}  // namespace sluice
