#include "cmd/copy_template.hpp"

#include <algorithm>

namespace sluice {
namespace {

constexpr std::string_view number_rule = "FLUX_JOB_CC=";  // copy_job adds it at the end

bool is_numbered(const PlannedJob& job) {
    const auto& texts = job.options.texts;
    return job.copy && !texts.empty() && texts.back().name == "env" &&
           texts.back().text == std::string{number_rule} + std::to_string(*job.copy);
}

bool alike(const PlannedJob& a, const PlannedJob& b, bool numbered) {
    const auto &mine = a.options.texts, &theirs = b.options.texts;
    return a.command == b.command && mine.size() == theirs.size() &&
           std::equal(mine.begin(), mine.end() - (numbered ? 1 : 0), theirs.begin());
}

}  // namespace

std::optional<SubmitRequest> CopyTemplate::request_for(const PlannedJob& job) const {
    if (!known_ || is_numbered(job) != numbered_ || !alike(job, job_, numbered_))
        return std::nullopt;
    SubmitRequest request = request_;
    if (numbered_) request.jobspec = before_ + std::to_string(*job.copy) + after_;
    return request;
}

void CopyTemplate::remember(const PlannedJob& job, const SubmitRequest& request) {
    known_ = false;
    numbered_ = is_numbered(job);
    if (numbered_) {
        const std::string number = std::to_string(*job.copy);
        const std::string member = "\"FLUX_JOB_CC\": \"";  // strings cannot hold it: \" there
        const std::size_t at = request.jobspec.find(member + number + '"');
        if (at == std::string::npos || request.jobspec.rfind(member) != at) return;
        before_ = request.jobspec.substr(0, at + member.size());
        after_ = request.jobspec.substr(at + member.size() + number.size());
    }
    job_ = job;
    request_ = request;
    known_ = true;
}

}  // namespace sluice
