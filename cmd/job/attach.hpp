// flux job attach: stays with a job to its end - its output, our input and signals, its exit code.
#pragma once

#include <optional>
#include <string>

#include "base/rpc/handle.hpp"
#include "base/strong_id.hpp"

namespace sluice {

struct AttachOptions {
    std::string shown_id;  // how messages call the job
    std::string wait_event = "clean";
    std::string stdin_ranks = "all";
    std::optional<std::size_t> tail;
    bool show_events = false, show_exec = false, show_status = false;
    bool label_io = false, read_only = false, unbuffered = false, quiet = false;
    bool debug = false, debug_emulate = false;
    bool input_must_be_taken = false;  // else a job that takes none, or has ended, goes on
    int verbose = 0;
};

/// Attaches until the job is over; returns its exit code (cli.md 8.1), 1 when it never ran or the
/// user detached.
int attach_job(Handle& flux, JobId id, const AttachOptions& options);

}  // namespace sluice
