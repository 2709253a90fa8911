// Follows a job to an event or its end without input: flux submit --wait and --watch, flux watch.
#pragma once

#include <cstdio>
#include <functional>
#include <string>

#include "base/rpc/handle.hpp"
#include "base/strong_id.hpp"

namespace sluice {

struct FollowOptions {
    bool output = false;               // copy the job's output
    bool label = false;                // with the tasks' ranks
    std::string wait_event = "clean";  // "exec.NAME": an event of the exec eventlog
    int verbose = 0;                   // above 0: events are printed
    std::FILE* out = stdout;
    std::FILE* err = stderr;
    std::function<void()> on_start;  // when the job starts, may be empty
};

/// `on_end` gets the job's exit code (cli.md 8.1): 0 when the event came first, 1 when the job
/// failed before it could start.
void follow_job(Handle& flux, JobId id, FollowOptions options, std::function<void(int)> on_end);

}  // namespace sluice
