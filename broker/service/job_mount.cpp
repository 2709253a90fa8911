#include "broker/service/job_mount.hpp"

#include <charconv>

#include "broker/service/job_lookup.hpp"

namespace sluice {
namespace {

constexpr const char* primary = "primary";
constexpr std::size_t jobs_per_commit = 100;
constexpr std::string_view namespace_prefix = "job-";
constexpr std::size_t id_parts = 4;  // of a dothex id

std::string job_key(JobId id) { return "job." + to_dothex(id); }

KvsOp put(std::string key, std::string value) {
    return {std::move(key), 0, TreeObject::make_val(std::move(value))};
}

/// The id in a key "job.0017.e9fb.8df1.6c2e…"; nullopt for one that stands for many jobs.
std::optional<JobId> id_in(const std::vector<std::string>& parts) {
    if (parts.size() <= id_parts) return std::nullopt;
    std::string text = parts[1];
    for (std::size_t i = 2; i <= id_parts; ++i) text += "." + parts[i];
    const auto id = fluid_decode(text);
    return id ? std::optional{*id} : std::nullopt;
}

void add_job(std::vector<KvsOp>& ops, const StoredJob& job,
             const std::map<std::string, std::string>& logs) {
    const std::string key = job_key(job.id) + ".";
    for (const char* name : {"J", "jobspec", "R"})
        if (auto text = stored_text(job, name, "", false)) ops.push_back(put(key + name, *text));
    for (const auto& [path, log] : logs) ops.push_back(put(key + path, log));
}

}  // namespace

/// Jobs to be read, a few at a time, and committed.
struct JobMount::Round {
    std::vector<JobId> ids;  // from the end
    std::function<void()> then;
    std::vector<KvsOp> ops;
    std::optional<StoredJob> job;
};

JobMount::JobMount(JobPipeline& pipeline, KvsCommits& commits, KvsNamespaces& kvs)
    : pipeline_(pipeline), commits_(commits), kvs_(kvs) {
    for (const auto& [id, job] : pipeline.table().active()) changed_.insert(id);
    for (const Job* job : pipeline.table().inactive()) changed_.insert(job->id);
    pipeline.on_append.add(
        [this](const StoreBatch::Append& append) { changed_.insert(append.id); });
    pipeline.on_inactive.add([this](const Job& job) {
        if (open_.contains(job.id)) keep_guest(job.id);
    });
    pipeline.on_purge.add([this](const std::vector<JobId>& ids) { forget(ids); });
    commits.set_mount(this);
}

JobMount::~JobMount() { commits_.set_mount(nullptr); }

bool JobMount::covers(std::string_view key) const {
    const std::vector<std::string> parts = split_key(key);
    if (!parts.empty() && parts[0] != "job") return false;
    if (reading_) return true;
    const auto id = id_in(parts);
    return id ? changed_.contains(*id) : !changed_.empty();
}

void JobMount::prepare(std::string_view key, std::function<void()> then) {
    if (reading_) {
        waiting_.emplace_back(key, std::move(then));
        return;
    }
    reading_ = true;
    auto round = std::make_shared<Round>();
    round->then = std::move(then);
    if (const auto id = id_in(split_key(key))) round->ids = {*id};
    else round->ids.assign(changed_.begin(), changed_.end());
    pipeline_.flush();
    read_next(round);
}

void JobMount::read_next(const std::shared_ptr<Round>& round) {
    if (round->ids.empty() || round->ops.size() >= jobs_per_commit * id_parts) {
        if (round->ops.empty()) return finish(*round);
        return commits_.submit(primary, std::exchange(round->ops, {}), 0,
                               [this, round](const Result<KvsCommits::Version>& done) {
                                   if (!done) round->ids.clear();  // the reader sees what there is
                                   read_next(round);
                               });
    }
    const JobId id = round->ids.back();
    round->ids.pop_back();
    if (changed_.erase(id) == 0) return read_next(round);
    pipeline_.store().read_job(id, [round](const auto& job) {
        round->job = job ? *job : std::nullopt;
    });
    pipeline_.store().read_logs(id, [this, round](const auto& logs) {
        if (round->job && logs) add_job(round->ops, *round->job, *logs);
        read_next(round);
    });
}

void JobMount::finish(const Round& round) {
    reading_ = false;
    round.then();
    for (auto& [key, then] : std::exchange(waiting_, {})) commits_.prepare(key, std::move(then));
}

bool JobMount::open_namespace(std::string_view name) {
    if (!name.starts_with(namespace_prefix)) return false;
    name.remove_prefix(namespace_prefix.size());
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc{} || end != name.data() + name.size()) return false;
    const Job* job = pipeline_.table().find(JobId{number});
    if (!job || job->state != JobState::run) return false;
    open_.insert(job->id);
    return kvs_.create(std::string{namespace_prefix} + std::to_string(number), job->userid, 0, "")
        .has_value();
}

/// The end of a job that has a namespace: its keys go below job.<id>.guest.
void JobMount::keep_guest(JobId id) {
    open_.erase(id);
    const std::string name = std::string{namespace_prefix} + std::to_string(id.value);
    const auto found = kvs_.all().find(name);
    if (found == kvs_.all().end()) return;
    const std::string rootref = found->second.rootref();
    commits_.copy_root(rootref, job_key(id) + ".guest", [this, name] { (void)kvs_.remove(name); });
}

void JobMount::forget(const std::vector<JobId>& ids) {
    std::vector<KvsOp> ops;
    for (const JobId id : ids) {
        changed_.erase(id);
        ops.push_back({job_key(id), 0, std::nullopt});
    }
    if (!ops.empty()) commits_.submit(primary, std::move(ops), 0, [](const auto&) {});
}

}  // namespace sluice
