// Jobs in the KVS (RFC 16, wire.md 3.3): job.<dothex>.* and the namespaces job-<id> of running
// jobs. The jobs' data stays in the store's own tables; only when somebody looks there it is
// committed to the KVS, and then only of jobs that have changed since. What a job itself puts into
// its namespace is kept as job.<dothex>.guest.* when it ends.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "broker/service/job_pipeline.hpp"
#include "broker/service/kvs_commits.hpp"

namespace sluice {

class JobMount : public KvsMount {
  public:
    JobMount(JobPipeline& pipeline, KvsCommits& commits, KvsNamespaces& kvs);
    ~JobMount() override;

    /// A key of primary is going to be read: brings what is below it up to date, then calls `then`.
    bool covers(std::string_view key) const override;
    void prepare(std::string_view key, std::function<void()> then) override;
    /// Makes namespace `name` when it is that of a running job.
    bool open_namespace(std::string_view name) override;

  private:
    struct Round;
    void read_next(const std::shared_ptr<Round>& round);
    void finish(const Round& round);
    void keep_guest(JobId id);
    void forget(const std::vector<JobId>& ids);

    JobPipeline& pipeline_;
    KvsCommits& commits_;
    KvsNamespaces& kvs_;
    std::set<JobId> changed_;
    std::set<JobId> open_;  // that have a namespace
    bool reading_ = false;  // one round at a time; who comes meanwhile waits for its end
    std::vector<std::pair<std::string, std::function<void()>>> waiting_;
};

}  // namespace sluice
