// Which process is which task (`<service>.proctable`), for debuggers and `flux job hostpids`. Every
// shell knows its own; the leader asks the others and puts all together.
#pragma once

#include <memory>
#include <vector>

#include "base/proctable.hpp"
#include "base/rpc/handle.hpp"
#include "shell/launch_info.hpp"
#include "shell/run/task.hpp"

namespace sluice::shell {

class ProctableService {
  public:
    using Tasks = std::vector<std::unique_ptr<Task>>;
    ProctableService(Handle& handle, const LaunchInfo& info, const Tasks& tasks)
        : handle_(handle), info_(info), tasks_(tasks) {}

    /// Answers with the table of this shell; as leader with that of the job, its tasks in order, or
    /// with ECANCELED when a shell has already ended.
    void on_request(const Message& request);

  private:
    struct Gathering;
    std::vector<TaskProcess> own_processes() const;
    void gather(const Message& request);
    void finish(const std::shared_ptr<Gathering>& gathering);

    Handle& handle_;
    const LaunchInfo& info_;
    const Tasks& tasks_;
};

}  // namespace sluice::shell
