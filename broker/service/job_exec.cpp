#include "broker/service/job_exec.hpp"

#include "broker/exec/protocol.hpp"

namespace sluice {

const RpcTable<JobExecService> JobExecService::rpcs{
    {"report", Caller::owner, Body::json, &JobExecService::report},
    {"append", Caller::user, Body::json, &JobExecService::append},
    {"shell-barrier", Caller::user, Body::json, &JobExecService::shell_barrier},
    {"critical-ranks", Caller::user, Body::json, &JobExecService::critical_ranks},
};

JobExecService::JobExecService(JobPipeline& pipeline, JobInfoService& info)
    : RpcService(pipeline.context().router, "job-exec"), pipeline_(pipeline), info_(info) {}

namespace {

Result<void> check_owner(const Request& request, UserId owner, JobId id) {
    if (owner == userid_unknown) return fail(ENOENT, "job {} is not running", id);
    if (request.privileged() || request.userid() == owner) return {};
    return fail(EPERM, "job {} belongs to another user", id);
}

Result<void> check_lines(std::string_view path, std::string_view lines) {
    if (!path.starts_with("guest."))
        return fail(EINVAL, "path: found '{}', want a guest log", path);
    if (!lines.ends_with('\n')) return fail(EINVAL, "{}: want whole lines", path);
    return {};
}

}  // namespace

void JobExecService::report(Request request, const JsonObject& payload) {
    const auto report = exec::decode_report(payload);
    if (!report) return request.fail(report.error());
    pipeline_.exec().on_report(*report);
    request.respond();
}

void JobExecService::append(Request request, const JsonObject& payload) {
    auto append = exec::decode_append(payload);
    if (!append) return request.fail(append.error());
    const UserId owner = pipeline_.exec().owner_of(append->id);
    if (const auto allowed = check_owner(request, owner, append->id); !allowed)
        return request.fail(allowed.error());
    for (const auto* logs : {&append->logs, &append->beyond})
        for (const auto& [path, lines] : *logs)
            if (const auto good = check_lines(path, lines); !good)
                return request.fail(good.error());
    for (const auto& [path, lines] : append->logs) pipeline_.append(append->id, path, lines);
    if (!append->beyond.empty()) {
        // After what was said before it.
        pipeline_.after_any_commit([this, request = std::move(request), id = append->id,
                                    beyond = std::move(append->beyond)] {
            for (const auto& [path, lines] : beyond)
                info_.pass_on(id, path, lines, [request](bool watched) {
                    request.respond(JsonObject{{"watched", watched}});
                });
        });
        return;
    }
    pipeline_.after_any_commit([request = std::move(request)] { request.respond(); });
}

void JobExecService::shell_barrier(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    const JobId id{static_cast<std::uint64_t>(in.integer("id"))};
    const std::int64_t rank = in.integer("rank");
    if (!in) return request.fail(in.error());
    const UserId owner = pipeline_.exec().owner_of(id);
    if (const auto allowed = check_owner(request, owner, id); !allowed)
        return request.fail(allowed.error());
    pipeline_.exec().on_barrier(std::move(request), id, static_cast<std::uint32_t>(rank));
    pipeline_.look_at_deadlines();
}

void JobExecService::critical_ranks(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    const JobId id{static_cast<std::uint64_t>(in.integer("id"))};
    const std::string text = in.string("ranks");
    if (!in) return request.fail(in.error());
    const UserId owner = pipeline_.exec().owner_of(id);
    if (const auto allowed = check_owner(request, owner, id); !allowed)
        return request.fail(allowed.error());
    const auto ranks = Idset::parse(text);
    if (!ranks) return request.fail(ranks.error());
    request.respond(pipeline_.exec().set_critical(id, *ranks));
}

void JobExecService::on_disconnect(const Request& request) {
    pipeline_.exec().on_disconnect(request.sender());
}

}  // namespace sluice
