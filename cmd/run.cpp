// flux run: submits one job and attaches to it on the same connection.
#include <cstdio>

#include "base/rfc/fluid.hpp"
#include "cmd/commands.hpp"
#include "cmd/job/attach.hpp"
#include "cmd/submission.hpp"

namespace sluice {
namespace {

AttachOptions attach_options(const SubmitOptions& options, JobId id) {
    AttachOptions attach;
    attach.shown_id = to_f58(id);
    attach.wait_event = options.last_or("wait-event", attach.wait_event);
    attach.label_io = options.label_io;
    attach.unbuffered = options.unbuffered;
    attach.show_events = options.verbose > 1;
    attach.show_exec = options.verbose > 2;
    if (input_names_tasks(options)) attach.stdin_ranks = *options.last("input");
    return attach;
}

}  // namespace

int cmd_run(int argc, char** argv) {
    SubmissionLine line(SubmitVerb::run);
    if (const auto code = line.parse(argc, argv)) return *code;
    Result<std::optional<SubmittedJob>> submitted = submit_or_print(line, {.command = line.words});
    if (!submitted) return line.cli.error(submitted.error().text());
    if (!*submitted) return 0;
    auto& [flux, id] = **submitted;
    if (line.options.verbose > 0) fmt::print(stderr, "jobid: {}\n", to_f58(id));
    return attach_job(flux, id, attach_options(line.options, id));
}

}  // namespace sluice
