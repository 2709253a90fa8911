// The commits of the KVS: per namespace in the order they came; all that are ready in one reactor
// turn become one new root, unless one asks to stay apart. Parts of the broker that keep something
// in the KVS commit here too.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "broker/context.hpp"
#include "broker/kvs/namespaces.hpp"
#include "broker/router/rpc_client.hpp"
#include "broker/service/content.hpp"

namespace sluice {

namespace kvs_commit_flag {
inline constexpr std::int64_t no_merge = 1, sync = 4;
}

/// Keys that are committed only when somebody looks at them.
class KvsMount {
  public:
    virtual ~KvsMount() = default;
    /// Whether prepare() has anything to do for `key` of namespace primary.
    virtual bool covers(std::string_view key) const = 0;
    /// Commits what is at and below `key`, then calls `then`.
    virtual void prepare(std::string_view key, std::function<void()> then) = 0;
    /// Makes namespace `name` if it is one of this mount's. False: it is not.
    virtual bool open_namespace(std::string_view name) = 0;
};

class KvsCommits {
  public:
    KvsCommits(BrokerContext& context, KvsNamespaces& kvs)
        : context_(context), kvs_(kvs), content_(*context.content->content), rpc_(context.router) {}

    struct Version {
        std::string rootref;
        std::int64_t rootseq;
    };
    using Done = std::function<void(const Result<Version>&)>;
    /// The caller has checked that the user may. `done` is called with the new root; with flag sync
    /// once it is a checkpoint on disk. Errors: ENOTSUP no such namespace, EINVAL sync of another
    /// namespace than primary, and those of kvs_tree::apply.
    void submit(const std::string& name, std::vector<KvsOp> ops, std::int64_t flags, Done done);

    /// Commits every entry of the tree `rootref` to primary, below `key`.
    void copy_root(const std::string& rootref, const std::string& key, std::function<void()> then);
    KvsNamespaces& namespaces() { return kvs_; }

    void set_mount(KvsMount* mount) { mount_ = mount; }
    KvsMount* mount() { return mount_; }
    /// Calls `then` once what is mounted at and below `key` of primary is there.
    void prepare(std::string_view key, std::function<void()> then) {
        if (mount_ && mount_->covers(key)) mount_->prepare(key, std::move(then));
        else then();
    }

    /// Writes all blobs and a checkpoint of the primary root.
    void checkpoint(Content::Done done);
    /// The same, when the root has changed since the last checkpoint of this kind.
    void checkpoint_if_changed();
    /// For what is written behind: the primary root, when it has changed since the last time.
    std::optional<StoreBatch::NewCheckpoint> automatic_checkpoint();

    struct Stats {
        std::int64_t commits = 0, ops_min = 0, ops_max = 0;
        double mean = 0, square_sum = 0;  // of operations a commit (Welford)
    };
    const Stats& stats() const { return stats_; }
    void clear_stats() { stats_ = {}; }

  private:
    struct Transaction {
        std::vector<KvsOp> ops;
        std::int64_t flags;
        Done done;
        std::shared_ptr<KvsBlobs> blobs;
    };
    struct Queue {
        std::deque<Transaction> waiting;
        bool scheduled = false;
    };
    void schedule(const std::string& name);
    void process(const std::string& name);
    bool apply_next(const std::string& name, Queue& queue, std::vector<Transaction>& group);
    void finish(const std::string& name, std::vector<Transaction> group);
    void publish(const std::string& name, const KvsNamespace& state,
                 const std::set<std::string>& keys, std::size_t count);
    void count(std::size_t ops);
    StoreBatch::NewCheckpoint primary_root(bool automatic);

    BrokerContext& context_;
    KvsNamespaces& kvs_;
    Content& content_;
    RpcClient rpc_;
    std::map<std::string, Queue> queues_;
    KvsMount* mount_ = nullptr;
    Stats stats_;
    std::int64_t next_name_ = 0;
    std::string kept_root_, named_root_;  // of the last checkpoint, and the last not automatic
};

}  // namespace sluice
