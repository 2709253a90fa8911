// The line "flux-job: ID waiting for resources   00:00:08" that attach shows on a terminal while a
// job has not started.
#pragma once

#include <memory>
#include <string>

#include "base/rfc/eventlog.hpp"
#include "base/rpc/handle.hpp"
#include "base/strong_id.hpp"
#include "cmd/job/attach.hpp"

namespace sluice {

/// What a job waits for after an event, empty if the event changes nothing.
std::string_view wait_reason_after(std::string_view event);

class AttachStatus {
  public:
    AttachStatus(Handle& flux, JobId id, const AttachOptions& options);
    ~AttachStatus();
    AttachStatus(const AttachStatus&) = delete;
    AttachStatus& operator=(const AttachStatus&) = delete;

    void on_job_event(const Event& event);
    void on_exec_event(const Event& event);
    /// Takes the line off the terminal before anything else is printed there.
    void clear();

  private:
    class State;
    std::shared_ptr<State> state_;  // none when there is no terminal to show it on
};

}  // namespace sluice
