// A command of the instance owner on a set of ranks, run there by the service rexec (RFC 42). Rim.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/rfc/idset.hpp"
#include "base/rexec/command.hpp"
#include "broker/router/rpc_client.hpp"

namespace sluice {

/// Lives on after the last pointer to it is gone, until the streams of its processes have ended:
/// what they say is still told to `output`.
class ScriptRun : public std::enable_shared_from_this<ScriptRun> {
  public:
    struct Hooks {
        /// A line without its newline.
        std::function<void(std::uint32_t rank, std::string_view stream, std::string line)> output;
        /// The process has ended, with a wait status. For each rank this or `failed`, once.
        std::function<void(std::uint32_t rank, int status)> exited;
        /// It could not be started, or the broker of the rank is gone.
        std::function<void(std::uint32_t rank, const Error& error)> failed;
    };
    ScriptRun(RpcClient& rpc, Hooks hooks) : rpc_(rpc), hooks_(std::move(hooks)) {}

    /// `variables` come on top of this broker's environment. Hooks may be called before it returns.
    void start(const Idset& ranks, const std::vector<std::string>& command,
               const std::map<std::string, std::string>& variables);
    /// Where it has ended nothing happens.
    void kill(const Idset& ranks, int signum);
    /// `exited` and `failed` are not called any more.
    void abandon();

  private:
    struct Process {
        std::int64_t pid = 0;         // 0 until it is known
        std::optional<int> signum;    // to be sent once it is
        bool ended = false;
    };
    void on_reply(std::uint32_t rank, const Reply& reply);
    void send_signal(std::uint32_t rank, std::int64_t pid, int signum);
    void end(std::uint32_t rank, const std::function<void()>& tell);

    RpcClient& rpc_;
    Hooks hooks_;
    std::map<std::uint32_t, Process> processes_;
};

}  // namespace sluice
