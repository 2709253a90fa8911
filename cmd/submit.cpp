// flux submit: submits a job, or a copy per id of --cc.
#include <cstdio>

#include "cmd/commands.hpp"
#include "cmd/submit_engine.hpp"

namespace sluice {
namespace {

/// Gives the copies of one job, or the job itself.
class Copies {
  public:
    Copies(PlannedJob job, std::optional<Idset> ids) : job_(std::move(job)), ids_(std::move(ids)) {
        if (ids_) at_ = ids_->begin();
    }

    Result<std::optional<PlannedJob>> next() {
        if (!ids_) return std::exchange(given_, true) ? std::nullopt : std::optional{job_};
        if (at_ == ids_->end()) return std::optional<PlannedJob>{};
        Result<PlannedJob> copy = copy_job(job_, *at_);
        ++at_;
        if (!copy) {
            plain_error(copy.error().text());
            return copy.error();
        }
        return std::optional{*std::move(copy)};
    }
    std::size_t count() const { return ids_ ? ids_->size() : 1; }

  private:
    PlannedJob job_;
    std::optional<Idset> ids_;
    Idset::Iterator at_;
    bool given_ = false;
};

int print_first(SubmissionLine& line, Copies& copies) {
    const Result<std::optional<PlannedJob>> job = copies.next();
    if (!job) return 1;
    if (!*job) return 0;
    const Result<SubmitRequest> request = build_submit_request(
        (*job)->options, line.verb, {.command = (*job)->command}, process_context());
    if (!request) return line.cli.error(request.error().text());
    fmt::print("{}\n", request->jobspec);
    return 0;
}

}  // namespace

int cmd_submit(int argc, char** argv) {
    SubmissionLine line(SubmitVerb::submit);
    if (const auto code = line.parse(argc, argv)) return *code;
    if (input_names_tasks(line.options))
        return plain_error("per-task input not supported for submit");
    Result<std::optional<Idset>> ids = copy_ids(line.options);
    if (!ids) return line.cli.error(ids.error().text());
    Copies copies({.options = line.options, .command = line.words}, *std::move(ids));
    if (line.options.dry_run) return print_first(line, copies);
    Result<Handle> flux = connect_for_submission();
    if (!flux) return line.cli.error(flux.error().text());
    SubmitEngine engine(line, *flux);
    return engine.run([&copies] { return copies.next(); }, copies.count());
}

}  // namespace sluice
