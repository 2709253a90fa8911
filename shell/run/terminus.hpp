// The interactive terminal of a job (-o pty.interactive): clients attach to "<service>.terminus.0"
// with a stream, see what the terminal shows, and type into it (wire.md 2.15). The task waits when
// one of them does not read, and for the first one when there is much to show.
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
    /// A client does not read what it was sent (slow), or does again.
    void on_client_pace(const Message& request, bool slow);
    /// Output of the terminal.
    void on_output(std::string_view data);
    /// No more output now; the task is told to resume.
    bool congested() const;
    /// The task has taken input.
    void on_room();
    /// The task has ended: clients are told and their streams end, then `done` is called. Who
    /// starts a job at a terminal means to see it: as long as nobody has come, the end waits.
    void end(int wait_status, std::function<void()> done);
    /// Nobody need be waited for any more: somebody came, or the job is being ended.
    void give_up();

  private:
    struct Client {
        Message request;
        bool reads = true, writes = true, slow = false;
    };
    void attach(const Message& request, const JsonObject& payload);
    void resize(const JsonObject& payload);
    void type(const Message& request, const Client& client, const JsonObject& payload);
    void answer(const Message& request, int errnum);
    void respond(const Message& request, const JsonObject& payload);
    Client* find(const Message& request);

    Handle& handle_;
    std::string service_;
    Task* task_ = nullptr;
    std::vector<Client> clients_;
    std::vector<Message> unanswered_;  // input that the task has not taken
    std::string backlog_;  // shown to the first client that attaches
    bool ended_ = false, visited_ = false;
    std::function<void()> waiting_end_;
};

}  // namespace sluice::shell
