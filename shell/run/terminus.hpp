// The interactive terminal of a job (-o pty.interactive): clients attach to "<service>.terminus.0"
// with a stream, see what the terminal shows, and type into it (wire.md 2.15).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/rpc/handle.hpp"
#include "shell/run/task.hpp"

namespace sluice::shell {

class Terminus {
  public:
    Terminus(Handle& handle, std::string service) : handle_(handle), service_(std::move(service)) {}

    /// Topic below the service, as shell.init tells it.
    static constexpr std::string_view method = "terminus.0";

    void set_task(Task* task) { task_ = task; }
    void on_request(const Message& request);
    /// The client of a "disconnect" request is gone.
    void on_disconnect(const Message& request);
    /// Output of the terminal.
    void on_output(std::string_view data);
    /// The task has ended: clients are told and their streams end, then `done` is called. Who
    /// starts a job at a terminal means to see it: as long as nobody has come, the end waits.
    void end(int wait_status, std::function<void()> done);
    /// Nobody need be waited for any more: somebody came, or the job is being ended.
    void give_up();

  private:
    struct Client {
        Message request;
        bool reads = true, writes = true;
    };
    void attach(const Message& request, const JsonObject& payload);
    void resize(const JsonObject& payload);
    void respond(const Message& request, const JsonObject& payload);
    Client* find(const Message& request);

    Handle& handle_;
    std::string service_;
    Task* task_ = nullptr;
    std::vector<Client> clients_;
    std::string backlog_;  // shown to the first client that attaches
    bool ended_ = false, visited_ = false;
    std::function<void()> waiting_end_;
};

}  // namespace sluice::shell
