// Service job-launcher: starts the shells of jobs on this node by way of the zygote, connects them
// to the router, passes signals on, and reports starts and exits to the exec manager
// (protocol.hpp).
#include <signal.h>
#include <sys/socket.h>

#include <optional>
#include <unordered_map>

#include "broker/config/attributes.hpp"
#include "broker/connector/local_server.hpp"
#include "broker/context.hpp"
#include "broker/exec/protocol.hpp"
#include "broker/exec/zygote_client.hpp"
#include "broker/log/logger.hpp"
#include "broker/parts.hpp"
#include "broker/router/rpc_client.hpp"
#include "broker/service/service.hpp"

namespace sluice {
namespace {

class Launcher : public RpcService<Launcher> {
  public:
    static const RpcTable<Launcher> rpcs;

    explicit Launcher(BrokerContext& context)
        : RpcService(context.router, "job-launcher"),
          context_(context),
          client_(context.router),
          zygote_(context.io, {[this](const ZygoteRecord& record) { on_record(record); },
                               [this] { on_zygote_lost(); }}) {
        report_.rank = context.rank;
    }

  private:
    /// A shell from its launch to its shell-exit. A shell without a word is over when its
    /// connection has been read to the end (its word may still be in there) and its end is known.
    struct Shell {
        std::string route;
        pid_t pid = 0;
        std::optional<int> wait_status;
        bool connected = true;
        bool orphaned = false;  // its zygote is gone: the process will have no other job
    };

    void begin(Request request, const JsonObject& payload);
    void launch(Request request, const JsonObject& payload);
    void kill(Request request, const JsonObject& payload);
    void expire(Request request, const JsonObject& payload);
    void shell_exit(Request request, const JsonObject& payload);

    Result<void> start(exec::LaunchJob& job);
    JsonObject launch_message(exec::LaunchJob& job) const;
    void on_record(const ZygoteRecord& record);
    void on_zygote_lost();
    void on_disconnected(JobId id);
    void push(const Shell& shell, JobId id, std::string_view what, const JsonObject& payload);
    void exited(JobId id, int status);
    void end_shell(JobId id, const Shell& shell);
    void schedule_report();

    BrokerContext& context_;
    RpcClient client_;
    ZygoteClient zygote_;
    std::unordered_map<JobId, Shell> shells_;
    exec::Report report_;
    std::int64_t generation_ = 0;  // of this broker, as the manager counts
    bool report_scheduled_ = false;
};

const RpcTable<Launcher> Launcher::rpcs{
    {"begin", Caller::owner, Body::json, &Launcher::begin},
    {"launch", Caller::owner, Body::json, &Launcher::launch},
    {"kill", Caller::owner, Body::json, &Launcher::kill},
    {"expire", Caller::owner, Body::json, &Launcher::expire},
    {"shell-exit", Caller::user, Body::json, &Launcher::shell_exit},
};

void Launcher::begin(Request, const JsonObject& payload) {
    JsonReader in{payload};
    const std::int64_t before = std::exchange(generation_, in.integer_or("generation", 0));
    if (before == 0) return;
    // This broker was given up and taken in again unawares: its jobs have ended for the manager.
    for (const auto& [id, shell] : shells_) end_shell(id, shell);
}

void Launcher::end_shell(JobId id, const Shell& shell) {
    if (!shell.orphaned) zygote_.kill(id);
    else if (shell.pid > 0) ::kill(shell.pid, SIGKILL);
}

void Launcher::launch(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    if (in.integer_or("generation", 0) != generation_)
        return request.fail(fail(ESTALE, "launch was meant for an earlier broker of this rank"));
    auto jobs = exec::decode_launch(payload);
    if (!jobs) return request.fail(jobs.error());
    for (exec::LaunchJob& job : *jobs) {
        if (const auto started = start(job); !started) {
            report_.failed.push_back({job.id, started.error().errnum(), started.error().text()});
            schedule_report();
        }
    }
    request.respond();
}

Result<void> Launcher::start(exec::LaunchJob& job) {
    if (shells_.contains(job.id)) return fail(EEXIST, "job {} runs here already", job.id);
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return fail(errno, "socket pair for a shell: {}", Error{errno}.text());
    OwnedFd ours{ends[0]}, shells{ends[1]};
    SLUICE_CHECK(zygote_.order(job.id, std::move(shells)));
    const bool owner = job.userid == context_.router.owner();
    const Credential credential{job.userid, (owner ? role::owner : role::user) | role::local};
    Shell& shell = shells_[job.id];
    shell.route = context_.local_server.adopt(ours.release(), credential,
                                              [this, id = job.id] { on_disconnected(id); });
    Message message = Message::request("shell.launch");
    message.flags |= message_flag::noresponse;
    message.set_json(launch_message(job));
    context_.local_server.push(shell.route, message);
    return {};
}

JsonObject Launcher::launch_message(exec::LaunchJob& job) const {
    const Attributes& attributes = context_.attributes;
    JsonObject message;
    message["id"] = static_cast<std::int64_t>(job.id.value);
    message["userid"] = static_cast<std::int64_t>(job.userid.value);
    message["shell_rank"] = job.shell_rank;
    message["nnodes"] = job.nnodes;
    message["rank"] = context_.rank.value;
    message["hostname"] = context_.hostname;
    message["uri"] = attributes.get_or("local-uri", "");
    message["rundir"] = context_.rundir;
    message["owner"] = context_.router.owner().value;
    message["jobid_path"] = attributes.get_or("jobid-path", "/");
    message["instance_level"] = attributes.integer_or("instance-level", 0);
    message["interface_hint"] = attributes.get_or("tbon.interface-hint", "");
    message["R"] = std::move(job.resources);
    message["jobspec"] = std::move(job.jobspec);
    return message;
}

void Launcher::kill(Request request, const JsonObject& payload) {
    const auto kill = exec::decode_kill(payload);
    if (!kill) return request.fail(kill.error());
    JsonObject signal;
    signal["signum"] = kill->signum;
    for (const JobId id : kill->ids) {
        const auto found = shells_.find(id);
        if (found == shells_.end()) continue;  // it has just ended
        Shell& shell = found->second;
        if (!kill->shell)
            push(shell, id, "kill", signal);
        else
            end_shell(id, shell);
    }
    request.respond();
}

void Launcher::expire(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    const JobId id{static_cast<std::uint64_t>(in.integer("id"))};
    JsonObject expiration;
    expiration["expiration"] = in.number("expiration");
    if (!in) return request.fail(in.error());
    if (const auto found = shells_.find(id); found != shells_.end())
        push(found->second, id, "expiration", expiration);
    request.respond();
}

void Launcher::shell_exit(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    const JobId id{static_cast<std::uint64_t>(in.integer("id"))};
    const auto status = in.integer("status");
    if (!in) return request.fail(in.error());
    const auto found = shells_.find(id);
    if (found == shells_.end() || request.sender() != found->second.route)
        return request.fail(fail(ENOENT, "job {}: not its shell", id));
    exited(id, static_cast<int>(status));
    request.respond();
}

void Launcher::on_record(const ZygoteRecord& record) {
    const JobId id{record.id};
    const auto found = shells_.find(id);
    if (found == shells_.end()) return;  // it told its status itself
    switch (record.kind) {
        case ZygoteRecord::Kind::started:
            found->second.pid = record.pid;
            report_.started.push_back(id);
            schedule_report();
            break;
        case ZygoteRecord::Kind::exited:
            // An exit without a word is a failure, whatever the code says.
            found->second.wait_status = record.status == 0 ? 1 << 8 : record.status;
            if (!found->second.connected) exited(id, *found->second.wait_status);
            break;
        case ZygoteRecord::Kind::failed:
            report_.failed.push_back({id, record.status, "fork: " + Error{record.status}.text()});
            shells_.erase(found);
            schedule_report();
            break;
    }
}

void Launcher::on_zygote_lost() {
    context_.log.err("job-launcher", "the zygote has ended; {} shells go on without it",
                     shells_.size());
    std::vector<JobId> lost;
    for (auto& [id, shell] : shells_) {
        shell.orphaned = true;
        if (!shell.wait_status) shell.wait_status = SIGKILL;  // no record will come
        if (!shell.connected) lost.push_back(id);
    }
    for (const JobId id : lost) exited(id, SIGKILL);
}

void Launcher::on_disconnected(JobId id) {
    const auto found = shells_.find(id);
    if (found == shells_.end()) return;
    found->second.connected = false;
    if (found->second.wait_status) exited(id, *found->second.wait_status);
}

void Launcher::push(const Shell& shell, JobId id, std::string_view what,
                    const JsonObject& payload) {
    Message event = Message::event(fmt::format("shell-{}.{}", id, what));
    event.set_json(payload);
    context_.local_server.push(shell.route, event);
}

void Launcher::exited(JobId id, int status) {
    shells_.erase(id);
    report_.exited.push_back({id, status});
    schedule_report();
}

void Launcher::schedule_report() {
    if (std::exchange(report_scheduled_, true)) return;
    context_.turn_end.post([this] {
        report_scheduled_ = false;
        client_.notify("job-exec.report", exec::encode_report(report_), 0);
        report_ = {};
        report_.rank = context_.rank;
    });
}

}  // namespace

Result<Part> make_job_launcher(BrokerContext& context) {
    return Part{std::make_shared<Launcher>(context)};
}

}  // namespace sluice
