// Submits many jobs over one connection, a window of them in flight, and follows them to their end
// when asked to (flux submit and bulksubmit).
#pragma once

#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "cmd/copy_template.hpp"
#include "cmd/job/follow.hpp"
#include "cmd/options/fan_out.hpp"
#include "cmd/progress.hpp"
#include "cmd/submission.hpp"

namespace sluice {

class SubmitEngine {
  public:
    SubmitEngine(SubmissionLine& line, Handle& flux);
    ~SubmitEngine();
    SubmitEngine(const SubmitEngine&) = delete;
    SubmitEngine& operator=(const SubmitEngine&) = delete;

    /// The next job, nullopt when there are no more. An Error ends submission; it has been printed.
    using Next = std::function<Result<std::optional<PlannedJob>>()>;
    /// Submits all jobs of `next`, of which there are `total`; returns the exit code.
    int run(Next next, std::size_t total);

  private:
    struct Sinks {
        std::FILE* out;
        std::FILE* err;
    };
    void fill();
    void submit(const PlannedJob& job);
    Result<SubmitRequest> request_for(const PlannedJob& job);
    void on_submitted(const PlannedJob& job, const Result<JobId>& id, Sinks sinks);
    void follow(const PlannedJob& job, JobId id, Sinks sinks);
    Sinks sinks_of(const SubmitOptions& options);
    std::FILE* log_file(const std::string& path, std::FILE* fallback);
    void raise_exit_code(int code) { exit_code_ = std::max(exit_code_, code); }

    SubmissionLine& line_;
    Handle& flux_;
    SubmitContext context_;
    CopyTemplate template_;
    Next next_;
    std::size_t in_flight_ = 0, following_ = 0;
    bool exhausted_ = false;
    int exit_code_ = 0;
    std::map<std::string, std::FILE*> logs_;
    std::optional<Progress> progress_;
};

}  // namespace sluice
