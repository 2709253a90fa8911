// Serves PMIx to the tasks of this shell by way of the plugin flux-shell-pmix.so, and takes part in
// fences and exchanges of data with the other shells of the job.
//
//     pmix-fence {procs:s, data:{SHELL:s base64}} -> {data}    up the tree of the fence's shells
//     pmix-modex {rank:i} -> {data:s base64}                   to the shell of that task
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/rpc/handle.hpp"
#include "shell/launch_info.hpp"
#include "shell/options.hpp"
#include "shell/pmi_exchange.hpp"
#include "shell/pmix/plugin.hpp"
#include "shell/task_plan.hpp"

namespace sluice::shell {

class PmixServer {
  public:
    struct Parts {
        const LaunchInfo& info;
        const ShellOptions& options;
        const TaskPlan& plan;
        Handle& handle;
        std::string tmpdir;
        std::function<void(const std::string& note, int code)> on_abort;
        std::function<void(std::uint32_t rank)> on_connected;
    };
    explicit PmixServer(Parts parts) : parts_(std::move(parts)) {}
    PmixServer(const PmixServer&) = delete;

    /// Errors: ENOENT the plugin is not installed; EIO what libpmix says.
    Result<void> start();
    /// "NAME=value" entries for a task. Errors: EIO.
    Result<std::vector<std::string>> environment(std::uint32_t rank) const;
    void on_fence_request(const Message& request);
    void on_modex_request(const Message& request);

  private:
    /// One fence of a set of tasks, from the first word of it to its end here.
    struct Fence {
        std::vector<std::uint32_t> shells;  // that have tasks in it
        std::unique_ptr<PmiExchange> exchange;
        std::uint64_t ticket = 0;
        bool entered = false;
        std::vector<Message> below;  // requests of other shells
    };
    Result<void> load();
    Result<void> register_job();
    PmixEvents events();
    void post(std::function<void()> work);
    Result<Fence*> fence(const std::string& procs);
    void enter(const std::string& procs, std::uint64_t ticket, const std::string& data);
    void step(const std::string& procs, const PmiExchange::Step& step);
    void send_up(const std::string& procs, const pmi::KeyValues& data);
    void finish(const std::string& procs, const pmi::KeyValues* data);
    void fetch(std::uint64_t ticket, std::uint32_t rank);
    void on_data(std::uint64_t question, const std::string& data);

    Parts parts_;
    const PmixPlugin* plugin_ = nullptr;
    std::map<std::string, Fence> fences_;         // by their tasks
    std::map<std::uint64_t, Message> questions_;  // modex requests of other shells
    std::uint64_t next_question_ = 1;
};

}  // namespace sluice::shell
