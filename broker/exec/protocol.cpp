#include "broker/exec/protocol.hpp"

namespace sluice::exec {
namespace {

Error malformed(std::string_view what) {
    return fail(EPROTO, "{}: malformed; brokers of one instance must be of one version", what);
}

JobId job_id(std::int64_t value) {
    return JobId{static_cast<std::uint64_t>(value)};
}

Json to_json(JobId id) {
    return Json(static_cast<std::int64_t>(id.value));
}

}  // namespace

JsonObject encode_launch(const std::vector<LaunchJob>& jobs) {
    JsonArray array;
    array.reserve(jobs.size());
    for (const LaunchJob& job : jobs) {
        JsonObject entry;
        entry["id"] = to_json(job.id);
        entry["userid"] = static_cast<std::int64_t>(job.userid.value);
        entry["shell_rank"] = job.shell_rank;
        entry["nnodes"] = job.nnodes;
        entry["R"] = job.resources;
        entry["jobspec"] = job.jobspec;
        array.push_back(std::move(entry));
    }
    JsonObject payload;
    payload["jobs"] = std::move(array);
    return payload;
}

Result<std::vector<LaunchJob>> decode_launch(const JsonObject& payload) {
    JsonReader in{payload};
    const JsonArray& array = in.array("jobs");
    if (!in) return in.error();
    std::vector<LaunchJob> jobs;
    for (const Json& value : array) {
        if (!value.is_object()) return malformed("job-launcher.launch");
        JsonReader entry{value.get_object()};
        LaunchJob job;
        job.id = job_id(entry.integer("id"));
        job.userid = UserId{static_cast<std::uint32_t>(entry.integer("userid"))};
        job.shell_rank = static_cast<std::uint32_t>(entry.integer("shell_rank"));
        job.nnodes = static_cast<std::uint32_t>(entry.integer("nnodes"));
        job.resources = entry.string("R");
        job.jobspec = entry.string("jobspec");
        if (!entry) return entry.error();
        jobs.push_back(std::move(job));
    }
    return jobs;
}

JsonObject encode_kill(const Kill& kill) {
    JsonArray ids;
    for (const JobId id : kill.ids) ids.push_back(to_json(id));
    JsonObject payload;
    payload["ids"] = std::move(ids);
    payload["signum"] = kill.signum;
    payload["shell"] = kill.shell;
    return payload;
}

Result<Kill> decode_kill(const JsonObject& payload) {
    JsonReader in{payload};
    Kill kill;
    const JsonArray& ids = in.array("ids");
    kill.signum = static_cast<int>(in.integer("signum"));
    kill.shell = in.boolean_or("shell", false);
    if (!in) return in.error();
    for (const Json& value : ids) {
        const auto id = as_integer(value);
        if (!id) return malformed("job-launcher.kill");
        kill.ids.push_back(job_id(*id));
    }
    return kill;
}

JsonObject encode_report(const Report& report) {
    JsonArray started, exited, failed;
    for (const JobId id : report.started) started.push_back(to_json(id));
    for (const auto& [id, status] : report.exited) {
        JsonArray pair;
        pair.push_back(to_json(id));
        pair.push_back(Json(status));
        exited.push_back(std::move(pair));
    }
    for (const auto& [id, errnum, text] : report.failed) {
        JsonArray triple;
        triple.push_back(to_json(id));
        triple.push_back(Json(errnum));
        triple.push_back(Json(text));
        failed.push_back(std::move(triple));
    }
    JsonObject payload;
    payload["rank"] = report.rank.value;
    payload["started"] = std::move(started);
    payload["exited"] = std::move(exited);
    payload["failed"] = std::move(failed);
    return payload;
}

Result<Report> decode_report(const JsonObject& payload) {
    JsonReader in{payload};
    Report report;
    report.rank = Rank{static_cast<std::uint32_t>(in.integer("rank"))};
    const JsonArray &started = in.array("started"), &exited = in.array("exited"),
                    &failed = in.array("failed");
    if (!in) return in.error();
    for (const Json& value : started) {
        const auto id = as_integer(value);
        if (!id) return malformed("job-exec.report");
        report.started.push_back(job_id(*id));
    }
    for (const Json& value : exited) {
        const JsonArray* pair = value.if_array();
        if (!pair || pair->size() != 2) return malformed("job-exec.report");
        const auto id = as_integer((*pair)[0]), status = as_integer((*pair)[1]);
        if (!id || !status) return malformed("job-exec.report");
        report.exited.push_back({job_id(*id), static_cast<int>(*status)});
    }
    for (const Json& value : failed) {
        const JsonArray* triple = value.if_array();
        if (!triple || triple->size() != 3 || !(*triple)[2].is_string())
            return malformed("job-exec.report");
        const auto id = as_integer((*triple)[0]), errnum = as_integer((*triple)[1]);
        if (!id || !errnum) return malformed("job-exec.report");
        report.failed.push_back(
            {job_id(*id), static_cast<int>(*errnum), std::string((*triple)[2].get_string())});
    }
    return report;
}

Result<Append> decode_append(const JsonObject& payload) {
    JsonReader in{payload};
    Append append;
    append.id = job_id(in.integer("id"));
    const JsonObject *logs = in.maybe_object("logs"), *beyond = in.maybe_object("beyond");
    for (const auto& [from, to] : {std::pair{logs, &append.logs}, {beyond, &append.beyond}}) {
        if (!from) continue;
        for (const auto& log : *from) {
            if (!log.value().is_string()) return malformed("job-exec.append");
            to->emplace_back(log.key(), log.value().get_string());
        }
    }
    if (!logs && !beyond) {
        std::string path = in.string("path");
        append.logs.emplace_back(std::move(path), in.string("events"));
    }
    if (!in) return in.error();
    if (append.beyond.size() > 1) return malformed("job-exec.append");
    return append;
}

}  // namespace sluice::exec
