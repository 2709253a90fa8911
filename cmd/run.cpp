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
    const Result<SubmitRequest> request =
        build_submit_request(line.options, line.verb, {.command = line.words}, process_context());
    if (!request) return line.cli.error(request.error().text());
    if (line.options.dry_run) {
        fmt::print("{}\n", request->jobspec);
        return 0;
    }
    Result<Handle> flux = connect_for_submission();
    if (!flux) return line.cli.error(flux.error().text());
    const Result<JobId> id = submit_job(*flux, *request);
    if (!id) return line.cli.error(id.error().text());
    if (line.options.verbose > 0) fmt::print(stderr, "jobid: {}\n", to_f58(*id));
    return attach_job(*flux, *id, attach_options(line.options, *id));
}

}  // namespace sluice
