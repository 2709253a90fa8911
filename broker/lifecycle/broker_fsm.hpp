// The life of a broker as states and events (cli.md 4.3). Pure.
//
//   load-builtins -> join -> config-sync -> init -> quorum -> run -> cleanup -> shutdown
//       -> finalize -> goodbye -> unload-builtins -> exit
//
// A failure before run skips to shutdown; a panic goes to exit from anywhere.
#pragma once

#include <optional>
#include <string_view>

namespace sluice {

/// The numbers are those that state-machine.monitor sends.
enum class BrokerState : int {
    load_builtins, join, config_sync, init, quorum, run, cleanup, shutdown, finalize, goodbye,
    unload_builtins, exit,
};

std::string_view broker_state_name(BrokerState state);

class BrokerFsm {
  public:
    BrokerState state() const { return state_; }
    /// Goes to the next state; nullopt when the event means nothing in the present one.
    std::optional<BrokerState> on_event(std::string_view event);

    /// A stage failed with `code`; the first failure is the broker's exit code.
    void fail(int code) {
        if (exit_code_ == 0) exit_code_ = code;
    }
    int exit_code() const { return exit_code_; }

  private:
    BrokerState state_ = BrokerState::load_builtins;
    int exit_code_ = 0;
};

}  // namespace sluice
