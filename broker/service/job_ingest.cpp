// job-ingest.* - submission (wire.md 2.2): checks who submits what, then hands the job to the
// pipeline. The answer comes when the job cannot be lost any more.
#include "broker/service/job_ingest.hpp"

#include "broker/config/config_store.hpp"

namespace sluice {

const RpcTable<JobIngestService> JobIngestService::rpcs{
    {"submit", Caller::user, Body::json, &JobIngestService::submit},
    {"getinfo", Caller::owner, Body::none, &JobIngestService::getinfo},
};

JobIngestService::JobIngestService(JobPipeline& pipeline)
    : RpcService(pipeline.context().router, "job-ingest"),
      pipeline_(pipeline),
      rpc_(pipeline.context().router) {}

namespace {

constexpr int known_flags = job_flag::debug | job_flag::waitable | job_flag::novalidate;

Result<void> check_guest(int urgency, int flags) {
    if (flags & job_flag::waitable)
        return fail(EPERM, "only the instance owner can submit with FLUX_JOB_WAITABLE");
    if (flags & job_flag::novalidate)
        return fail(EPERM, "only the instance owner can submit with FLUX_JOB_NOVALIDATE");
    if (urgency > urgency_default)
        return fail(EPERM, "only the instance owner can submit with urgency >16");
    return {};
}

Result<JobPipeline::Submission> read_submission(const Request& request, const JsonObject& payload) {
    JsonReader in{payload};
    const std::string J = in.string("J");
    JobPipeline::Submission submission;
    const std::int64_t urgency = in.integer("urgency");
    const std::int64_t flags = in.integer("flags");
    if (!in) return in.error();
    if (flags & ~std::int64_t{known_flags}) return fail(EPROTO, "invalid job flags");
    if (urgency < urgency_hold || urgency > urgency_expedite)
        return fail(EINVAL, "urgency range is [0:31]");
    submission.urgency = static_cast<int>(urgency);
    submission.flags = static_cast<int>(flags);
    submission.userid = request.userid();
    const bool owner = request.message().cred.rolemask & role::owner;
    if (!owner) SLUICE_CHECK(check_guest(submission.urgency, submission.flags));
    const auto unwrapped = unwrap_signed(J);
    if (!unwrapped)
        return fail(EINVAL, "could not unwrap jobspec: {}", Error{EINVAL}.text());
    SignedJobspec signed_jobspec = *unwrapped;
    if (signed_jobspec.mechanism != "none")
        return fail(EINVAL, "J: sign-type={} is not supported; use none", signed_jobspec.mechanism);
    if (!owner) return fail(EPERM, "only instance owner can use sign-type=none");
    if (signed_jobspec.userid != submission.userid)
        return fail(EPERM, "signer={} != requestor={}", signed_jobspec.userid, submission.userid);
    submission.jobspec = std::move(signed_jobspec.jobspec);
    return submission;
}

}  // namespace

/// The reference validates in worker processes; ours need none, and requests never queue for them.
JsonObject JobIngestService::stats() const {
    const auto workers = [](std::int64_t requests, std::int64_t errors) {
        return JsonObject{{"running", 0}, {"requests", requests}, {"errors", errors},
                          {"trash", 0},   {"backlog", 0},         {"pids", JsonArray{0, 0, 0, 0}}};
    };
    return {{"pipeline", JsonObject{{"frobnicator", workers(0, 0)},
                                    {"validator", workers(requests_, refused_)}}}};
}

void JobIngestService::submit(Request request, const JsonObject& payload) {
    Result<JobPipeline::Submission> submission = read_submission(request, payload);
    if (!submission) return request.fail(submission.error());
    ++requests_;
    // Checked when it was loaded: an error cannot come any more.
    const auto validators = Validators::from_config(pipeline_.context().config.root());
    const bool checks = validators && (validators->feasibility || validators->require_instance);
    if (!checks || submission->flags & job_flag::novalidate)
        return accept(request, *std::move(submission));
    validate(request, *std::move(submission), *validators);
}

void JobIngestService::validate(const Request& request, JobPipeline::Submission submission,
                                const Validators& validators) {
    const auto jobspec = pipeline_.jobspec_for(submission);
    if (!jobspec) return accept(request, std::move(submission));  // which words the error
    if (const auto allowed = validators.check_instance(*jobspec); !allowed) {
        ++refused_;
        return request.fail(allowed.error());
    }
    if (!validators.feasibility) return accept(request, std::move(submission));
    rpc_.call("feasibility.check", JsonObject{{"jobspec", jobspec->json}}, {},
              [this, request, submission = std::move(submission)](const Reply& reply) {
                  // Without a scheduler nobody can say.
                  if (!reply.ok() && reply.error().errnum() != ENOSYS) {
                      ++refused_;
                      return request.fail(reply.error());
                  }
                  accept(request, submission);
              });
}

void JobIngestService::accept(const Request& request, JobPipeline::Submission submission) {
    const auto submitted = pipeline_.submit(std::move(submission), [request](JobId id) {
        request.respond(JsonObject{{"id", id.value}});
    });
    if (submitted) return;
    ++refused_;
    request.fail(submitted.error());
}

void JobIngestService::getinfo(Request request, const JsonObject&) {
    constexpr int timestamp_shift = 24;  // below it: generator and sequence (RFC 19)
    const std::uint64_t timestamp = pipeline_.table().max_id().value >> timestamp_shift;
    request.respond(JsonObject{{"timestamp", timestamp}});
}

}  // namespace sluice
