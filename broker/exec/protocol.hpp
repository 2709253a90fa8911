// Messages of the launch path, between the exec manager (rank 0), the launchers (every rank) and
// the shells (RFC 32 in spirit; our own wire, since both ends are ours). Ids are 64-bit integers, a
// status is a wait status.
//
// The launcher is a service of its own, "job-launcher", on every rank; "job-exec" is the manager's
// name and exists on rank 0 only, so that a shell's request to any node walks up to it.
//
//   manager -> launcher, nodeid = rank, NORESPONSE
//     job-launcher.begin {generation:i}
//         to each broker that comes online, before any launch
//     job-launcher.launch {generation:i,
//                          jobs:[{id:I, userid:I, shell_rank:i, nnodes:i, R:s, jobspec:s}, …]}
//         JSON texts, which only the shell reads: the jobspec with its environment, R the whole.
//         Of another generation it was meant for a broker that is gone, and is refused: its jobs
//         have ended
//     job-launcher.kill {ids:[I…], signum:i, shell:b}
//         signum to the tasks of these jobs on this rank; shell:true SIGKILLs the shells themselves
//         (their tasks die with them), for shells that no longer answer
//     job-launcher.expire {id:I, expiration:F}
//         a new end time (0 = none), passed on to the shell
//   launcher -> manager @0, NORESPONSE, one a reactor turn
//     job-exec.report {rank:i, started:[I…], exited:[[I, status:i]…], failed:[[I, errnum:i, s]…]}
//         started: the shell process exists. exited: it told its status, or it is gone and this is
//         its wait status (a shell that was lost reports a signal, or 256). failed: it could not be
//         started; no exited follows
//   shell -> manager @0
//     job-exec.append {id:I, logs:{path:s, …}} -> {}
//         raw eventlog lines to append to "guest.output", "guest.exec.eventlog" or "guest.input",
//         in this order. The reply is the flow control. {id, path:s, events:s} is the form for one
//         log. {id, beyond:{path:s}} is for lines that are not to be kept: they go to those who
//         follow the log, as fast as they take them -> {watched:b}, false when nobody does
//     job-exec.shell-barrier {id:I, rank:i} -> {}
//         only when the job has more than one shell; the error answer ends the shell. `rank` is the
//         broker rank
//     job-manager.raise {id, type, severity, note, wait_status?} for the job's exceptions
//   manager -> leader shell
//     <uid>-shell-<f58plain>.exception {type:"lost-shell", severity:i, shell_rank:i, message:s} ->
//     {}
//         a follower shell is gone: the leader stops waiting for its tasks
//   launcher <-> shell, on the shell's connection
//     shell.launch (first message, request, NORESPONSE): the job's entry of job-launcher.launch and
//         {rank:i, hostname:s, uri:s, rundir:s, jobid_path:s, instance_level:i,
//          interface_hint:s}
//     event shell-<decimal id>.kill {signum:i}; event shell-<decimal id>.expiration {expiration:F}
//     job-launcher.shell-exit {id:I, status:i} NORESPONSE: the shell's last word
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/strong_id.hpp"

namespace sluice::exec {

struct LaunchJob {
    JobId id;
    UserId userid;
    std::uint32_t shell_rank = 0, nnodes = 1;
    std::string resources;  // R, as JSON text
    std::string jobspec;    // with its environment, as JSON text
};
JsonObject encode_launch(const std::vector<LaunchJob>& jobs);
/// Errors: EPROTO naming the key.
Result<std::vector<LaunchJob>> decode_launch(const JsonObject& payload);

struct Kill {
    std::vector<JobId> ids;
    int signum = 0;
    bool shell = false;
    friend bool operator==(const Kill&, const Kill&) = default;
};
JsonObject encode_kill(const Kill& kill);
Result<Kill> decode_kill(const JsonObject& payload);

struct Report {
    struct Exited {
        JobId id;
        int status;
        friend bool operator==(const Exited&, const Exited&) = default;
    };
    struct Failed {
        JobId id;
        int errnum;
        std::string text;
        friend bool operator==(const Failed&, const Failed&) = default;
    };
    Rank rank;
    std::vector<JobId> started;
    std::vector<Exited> exited;
    std::vector<Failed> failed;
    bool empty() const { return started.empty() && exited.empty() && failed.empty(); }
    friend bool operator==(const Report&, const Report&) = default;
};
JsonObject encode_report(const Report& report);
Result<Report> decode_report(const JsonObject& payload);

struct Append {
    JobId id;
    std::vector<std::pair<std::string, std::string>> logs;    // path, events
    std::vector<std::pair<std::string, std::string>> beyond;  // not to be kept
};
Result<Append> decode_append(const JsonObject& payload);

}  // namespace sluice::exec
