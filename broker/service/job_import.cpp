#include "broker/service/job_import.hpp"

#include <set>

#include "base/rfc/fluid.hpp"
#include "base/rfc/jobspec.hpp"
#include "base/rfc/treeobj.hpp"

namespace sluice {
namespace {

using Kind = TreeObject::Kind;
constexpr std::size_t jobs_per_commit = 500;

class Importer {
  public:
    explicit Importer(SqliteStore& store) : store_(store) {}

    Result<std::size_t> run(const std::string& rootref) {
        SLUICE_TRY(const auto known, store_.load_jobs());
        for (const StoredJob& job : known) known_.insert(job.id);
        SLUICE_TRY(const TreeObject root, directory(TreeObject::make_dirref(rootref)));
        const auto jobs = root.entries.find("job");
        if (jobs != root.entries.end()) SLUICE_CHECK(walk(jobs->second, ""));
        commit();
        return count_;
    }

  private:
    /// An empty directory in the place of one that is lost or is none.
    Result<TreeObject> directory(const TreeObject& object) {
        if (object.kind == Kind::dir) return object;
        if (object.kind != Kind::dirref) return TreeObject::make_dir();
        SLUICE_TRY(const auto blob, store_.load_blob(object.refs[0]));
        const auto json = blob ? parse_json_object(*blob) : Result<JsonObject>{Error{ENOENT}};
        auto dir = json ? decode_treeobj(*json) : Result<TreeObject>{json.error()};
        if (!dir || dir->kind != Kind::dir) return TreeObject::make_dir();
        return *std::move(dir);
    }

    Result<std::optional<std::string>> bytes(const TreeObject& object) {
        if (object.kind == Kind::val) return std::optional{object.value};
        if (object.kind != Kind::valref) return std::optional<std::string>{};
        std::string all;
        for (const std::string& ref : object.refs) {
            SLUICE_TRY(const auto blob, store_.load_blob(ref));
            if (!blob) return std::optional<std::string>{};
            all += *blob;
        }
        return std::optional{std::move(all)};
    }

    /// `path`: what of the dothex id leads here.
    Result<void> walk(const TreeObject& object, const std::string& path) {
        constexpr std::size_t dothex_bytes = 19;
        SLUICE_TRY(const TreeObject dir, directory(object));
        if (path.size() == dothex_bytes) return add_job(path, dir);
        for (const auto& [name, entry] : dir.entries)
            SLUICE_CHECK(walk(entry, path.empty() ? name : path + "." + name));
        return {};
    }

    Result<void> add_job(const std::string& path, const TreeObject& dir) {
        const auto id = fluid_decode(path);
        if (!id || known_.contains(*id) || !dir.entries.contains("J")) return {};
        SLUICE_TRY(const auto J, bytes(dir.entries.at("J")));
        const auto jobspec = J ? unwrap_signed(*J) : Result<SignedJobspec>{Error{ENOENT}};
        if (!jobspec || !dir.entries.contains("eventlog")) return {};
        batch_->jobs.push_back({*id, jobspec->userid, jobspec->jobspec, "{}"});
        if (const auto found = dir.entries.find("R"); found != dir.entries.end()) {
            SLUICE_TRY(auto R, bytes(found->second));
            if (R) batch_->resources.emplace_back(*id, *std::move(R));
        }
        SLUICE_CHECK(add_log(*id, "eventlog", dir.entries.at("eventlog")));
        if (const auto found = dir.entries.find("guest"); found != dir.entries.end()) {
            SLUICE_TRY(const TreeObject guest, directory(found->second));
            for (const char* name : {"input", "output"})
                if (const auto log = guest.entries.find(name); log != guest.entries.end())
                    SLUICE_CHECK(add_log(*id, std::string{"guest."} + name, log->second));
            if (const auto exec = guest.entries.find("exec"); exec != guest.entries.end()) {
                SLUICE_TRY(const TreeObject logs, directory(exec->second));
                if (const auto log = logs.entries.find("eventlog"); log != logs.entries.end())
                    SLUICE_CHECK(add_log(*id, "guest.exec.eventlog", log->second));
            }
        }
        ++count_;
        if (batch_->jobs.size() >= jobs_per_commit) commit();
        return {};
    }

    Result<void> add_log(JobId id, std::string path, const TreeObject& object) {
        SLUICE_TRY(auto log, bytes(object));
        if (log) batch_->appends.push_back({id, std::move(path), *std::move(log)});
        return {};
    }

    void commit() {
        if (batch_->empty()) return;
        // In order: what reads the store next sees it, or its failure.
        store_.commit(std::exchange(batch_, std::make_shared<StoreBatch>()), [](const auto&) {});
    }

    SqliteStore& store_;
    std::set<JobId> known_;
    std::shared_ptr<StoreBatch> batch_ = std::make_shared<StoreBatch>();
    std::size_t count_ = 0;
};

}  // namespace

Result<std::size_t> import_jobs(SqliteStore& store) {
    SLUICE_TRY(const auto checkpoints, store.load_checkpoints());
    if (checkpoints.empty()) return std::size_t{0};
    SLUICE_TRY(const JsonObject latest, parse_json_object(checkpoints[0]));
    JsonReader in{latest};
    const std::string rootref = in.string("rootref");
    if (!in) return in.error();
    return Importer{store}.run(rootref);
}

}  // namespace sluice
