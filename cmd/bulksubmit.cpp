// flux bulksubmit: submits a job for each of many inputs.
#include <algorithm>
#include <cstdio>
#include <deque>
#include <numeric>
#include <random>

#include "cmd/bulksubmit_define.hpp"
#include "cmd/commands.hpp"
#include "cmd/load_file.hpp"
#include "cmd/options/bulk_inputs.hpp"
#include "cmd/options/shell_words.hpp"
#include "cmd/submit_engine.hpp"

namespace sluice {
namespace {

/// Gives the jobs of all inputs, each with its copies.
class BulkJobs {
  public:
    BulkJobs(PlannedJob job, std::vector<InputTuple> tuples, DefinedValues defined, bool shuffle)
        : job_(std::move(job)),
          tuples_(std::move(tuples)),
          defined_(std::move(defined)),
          order_(tuples_.size()) {
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        if (shuffle) std::ranges::shuffle(order_, std::mt19937_64{std::random_device{}()});
    }

    /// The next input's job, before its copies are made.
    Result<std::optional<PlannedJob>> next_input() {
        if (at_ == order_.size()) return std::optional<PlannedJob>{};
        const std::size_t sequence = order_[at_++];
        SLUICE_TRY(PlannedJob replaced,
                   replace_job(job_, input_lookups(tuples_[sequence], sequence, defined_)));
        return std::optional{std::move(replaced)};
    }

    Result<std::optional<PlannedJob>> next() {
        while (copies_.empty()) {
            SLUICE_TRY(std::optional<PlannedJob> input, next_input());
            if (!input) return std::optional<PlannedJob>{};
            SLUICE_TRY(const std::optional<Idset> ids, copy_ids(input->options));
            if (!ids) return input;
            for (const Idset::Id id : *ids) {
                SLUICE_TRY(PlannedJob copy, copy_job(*input, id));
                copies_.push_back(std::move(copy));
            }
        }
        PlannedJob job = std::move(copies_.front());
        copies_.pop_front();
        return std::optional{std::move(job)};
    }

  private:
    PlannedJob job_;
    std::vector<InputTuple> tuples_;
    DefinedValues defined_;
    std::vector<std::size_t> order_;  // of the tuples
    std::size_t at_ = 0;              // in order_
    std::deque<PlannedJob> copies_;  // of the present input
};

int print_lines(BulkJobs& jobs, const SubmissionLine& line) {
    for (;;) {
        const Result<std::optional<PlannedJob>> job = jobs.next_input();
        if (!job) return plain_error(job.error().text());
        if (!*job) return 0;
        std::string text = "bulksubmit: submit";
        for (const std::string& word : changed_options(line.options, (*job)->options))
            text += " " + word;
        for (const std::string& word : (*job)->command) text += " " + word;
        fmt::print("{}\n", text);
    }
}

Result<BulkLine> read_line(const SubmissionLine& line) {
    const std::string separator = line.options.last_or("sep", "\n");
    const ItemReader read = [&](const std::string& path) -> Result<std::vector<std::string>> {
        SLUICE_TRY(const LoadedFile file, load_file(path == "-" ? "/dev/stdin" : path));
        return split_items(file.content, separator);
    };
    SLUICE_TRY(BulkLine bulk, parse_bulk_line(line.words, read));
    if (bulk.tuples.empty()) return fail(EINVAL, "no jobs provided for bulk submission");
    return bulk;
}

/// Inputs that are whole commands are split as a shell would; others are words as they are.
std::vector<std::string> final_command(const std::vector<std::string>& command, bool whole) {
    if (!whole || command.size() != 1) return command;
    const Result<std::vector<std::string>> words = split_shell_words(command[0]);
    return words && !words->empty() ? *words : command;
}

}  // namespace

int cmd_bulksubmit(int argc, char** argv) {
    SubmissionLine line(SubmitVerb::bulksubmit);
    if (const auto code = line.parse(argc, argv)) return *code;
    if (input_names_tasks(line.options))
        return plain_error("per-task input not supported for bulksubmit");
    Result<BulkLine> bulk = read_line(line);
    if (!bulk) return line.cli.error(bulk.error().text());
    Result<DefinedValues> defined = define_values(line.options.all("define"), bulk->tuples);
    if (!defined) return line.cli.error(defined.error().text());
    const bool whole = bulk->command == std::vector<std::string>{"{}"};
    const std::size_t count = bulk->tuples.size();
    BulkJobs jobs({.options = line.options, .command = bulk->command}, std::move(bulk->tuples),
                  *std::move(defined), line.options.shuffle);
    if (line.options.dry_run) return print_lines(jobs, line);
    Result<Handle> flux = connect_for_submission();
    if (!flux) return line.cli.error(flux.error().text());
    SubmitEngine engine(line, *flux);
    return engine.run(
        [&]() -> Result<std::optional<PlannedJob>> {
            Result<std::optional<PlannedJob>> job = jobs.next();
            if (!job) plain_error(job.error().text());
            if (job && *job) (*job)->command = final_command((*job)->command, whole);
            return job;
        },
        count);
}

}  // namespace sluice
