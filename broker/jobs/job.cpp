#include "broker/jobs/job.hpp"

#include "base/rfc/fsd.hpp"

namespace sluice {

namespace {

void merge_annotations(JsonObject& into, const JsonObject& update) {
    for (const auto& [key, value] : update) {
        if (value.is_null()) {
            into.erase(key);
        } else if (value.is_object()) {
            Json& slot = into[key];
            if (!slot.is_object()) slot = JsonObject{};
            merge_annotations(slot.as_object(), value.as_object());
            if (slot.as_object().empty()) into.erase(key);
        } else {
            into[key] = value;
        }
    }
}

}  // namespace

const JobRare& Job::rare() const {
    static const JobRare none;
    return rare_ ? *rare_ : none;
}

JobRare& Job::own_rare() {
    if (!rare_) rare_ = std::make_unique<JobRare>();
    return *rare_;
}

JsonObject Annotations::to_json() const {
    return empty() ? JsonObject{} : parse_json_object(text()).value_or(JsonObject{});
}

void Annotations::merge(const JsonObject& update) {
    JsonObject merged = to_json();
    merge_annotations(merged, update);
    set(merged);
}

void Annotations::set(const JsonObject& object) {
    text_ = object.empty() ? SharedText{} : SharedText{dump_json(object)};
}

void describe(Job& job, const Jobspec& jobspec) {
    job.name = jobspec.name();
    job.cwd = jobspec.cwd;
    job.queue = jobspec.queue;
    if (!jobspec.project.empty()) job.own_rare().project = jobspec.project;
    if (!jobspec.bank.empty()) job.own_rare().bank = jobspec.bank;
    job.duration = jobspec.duration;
    const ResourceRequest& request = jobspec.request;
    job.nnodes = request.nodes;
    // Whole nodes: how many cores they have is known only once they are allocated.
    job.ncores = request.exclusive ? 0 : static_cast<std::uint32_t>(request.cores());
    job.ntasks = jobspec.task_count(std::max(1u, request.nodes), request.cores());
}

Result<std::optional<double>> mock_duration(const JsonObject& jobspec) {
    const Json* value = find_path(jobspec, "attributes.system.exec.test.run_duration");
    if (!value) return std::optional<double>{};
    if (const auto number = as_number(*value)) return number;
    if (!value->is_string()) return fail(EINVAL, "exec.test.run_duration: want a duration");
    SLUICE_TRY(const double seconds, fsd_parse(std::string_view{value->as_string()}));
    return std::optional{seconds};
}

void describe_allocation(Job& job, const ResourceSet& R) {
    job.ranks = R.ranks().to_bracketed();
    job.nodelist = R.nodelist().to_string();
    job.nnodes = static_cast<std::uint32_t>(R.node_count());
    job.ncores = static_cast<std::uint32_t>(R.core_count());
    job.expiration = R.expiration;
}

Result<JsonObject> updated_jobspec(std::string_view text, const JsonObject& updates) {
    auto jobspec = parse_json_object(text);
    if (!jobspec) return fail(EINVAL, "jobspec: {}", jobspec.error().text());
    for (const auto& [path, value] : updates) set_path(*jobspec, path, value);
    return jobspec;
}

void remove_environment(JsonObject& jobspec) {
    const Json* system = find_path(jobspec, "attributes.system");
    if (!system || !system->is_object()) return;
    jobspec.at("attributes").as_object().at("system").as_object().erase("environment");
}

namespace {

void put(JsonObject& row, std::string_view key, const std::string& text) {
    if (!text.empty()) row[key] = text;
}

void put(JsonObject& row, std::string_view key, double value) {
    if (value != 0) row[key] = value;
}

JsonObject exception_to_json(const JobException& exception) {
    return {{"type", exception.type}, {"severity", exception.severity}, {"note", exception.note}};
}

}  // namespace

JsonObject row_to_json(const Job& job) {
    JsonObject row{{"id", job.id.value},         {"userid", job.userid.value},
                   {"result", static_cast<int>(job.result)}, {"fatal", job.fatal},
                   {"reaped", job.reaped},       {"urgency", job.urgency},
                   {"flags", job.flags},         {"priority", job.priority},
                   {"ntasks", job.ntasks},       {"ncores", job.ncores},
                   {"nnodes", job.nnodes}};
    put(row, "t_submit", job.t_submit);
    put(row, "t_depend", job.t_depend);
    put(row, "t_priority", job.t_priority);
    put(row, "t_sched", job.t_sched);
    put(row, "t_run", job.t_run);
    put(row, "t_cleanup", job.t_cleanup);
    put(row, "t_inactive", job.t_inactive);
    put(row, "duration", job.duration);
    put(row, "expiration", job.expiration);
    put(row, "name", job.name);
    put(row, "cwd", job.cwd);
    put(row, "queue", job.queue);
    put(row, "project", job.rare().project);
    put(row, "bank", job.rare().bank);
    put(row, "ranks", job.ranks);
    put(row, "nodelist", job.nodelist);
    if (job.waitstatus) row["waitstatus"] = *job.waitstatus;
    if (job.rare().exception) row["exception"] = exception_to_json(*job.rare().exception);
    if (!job.annotations.empty()) row["annotations"] = job.annotations.to_json();
    if (job.had_dependencies) {
        JsonArray& list = (row["dependencies"] = JsonArray{}).as_array();
        for (const std::string& text : job.rare().dependencies) list.emplace_back(text);
    }
    return row;
}

Result<std::unique_ptr<Job>> row_from_json(const JsonObject& row) {
    JsonReader in{row};
    auto job = std::make_unique<Job>();
    job->state = JobState::inactive;
    job->id = JobId{static_cast<std::uint64_t>(in.integer("id"))};
    job->userid = UserId{static_cast<std::uint32_t>(in.integer("userid"))};
    job->result = static_cast<JobResult>(in.integer("result"));
    job->fatal = in.boolean("fatal");
    job->reaped = in.boolean("reaped");
    job->urgency = static_cast<std::int16_t>(in.integer("urgency"));
    job->flags = static_cast<std::int16_t>(in.integer("flags"));
    job->priority = in.integer("priority");
    job->ntasks = static_cast<std::uint32_t>(in.integer("ntasks"));
    job->ncores = static_cast<std::uint32_t>(in.integer("ncores"));
    job->nnodes = static_cast<std::uint32_t>(in.integer("nnodes"));
    job->t_submit = in.number_or("t_submit", 0);
    job->t_depend = in.number_or("t_depend", 0);
    job->t_priority = in.number_or("t_priority", 0);
    job->t_sched = in.number_or("t_sched", 0);
    job->t_run = in.number_or("t_run", 0);
    job->t_cleanup = in.number_or("t_cleanup", 0);
    job->t_inactive = in.number_or("t_inactive", 0);
    job->duration = in.number_or("duration", 0);
    job->expiration = in.number_or("expiration", 0);
    job->name = in.string_or("name", "");
    job->cwd = in.string_or("cwd", "");
    job->queue = in.string_or("queue", "");
    if (const auto project = in.maybe_string("project")) job->own_rare().project = *project;
    if (const auto bank = in.maybe_string("bank")) job->own_rare().bank = *bank;
    job->ranks = in.string_or("ranks", "");
    job->nodelist = in.string_or("nodelist", "");
    if (row.contains("waitstatus")) job->waitstatus = static_cast<int>(in.integer("waitstatus"));
    if (const JsonObject* annotations = in.maybe_object("annotations"))
        job->annotations = Annotations{*annotations};
    if (const JsonObject* exception = in.maybe_object("exception")) {
        JsonReader ex{*exception};
        job->own_rare().exception = JobException{
            ex.string("type"), static_cast<int>(ex.integer("severity")), ex.string("note")};
        if (!ex) return ex.error();
    }
    job->had_dependencies = row.contains("dependencies");
    if (const JsonArray* list = in.maybe_array("dependencies"))
        for (const Json& text : *list)
            if (text.is_string()) job->own_rare().dependencies.emplace_back(text.as_string());
    if (!in) return in.error();
    return job;
}

}  // namespace sluice
