#include "broker/service/kvs_commits.hpp"

#include <algorithm>

#include "base/rfc/eventlog.hpp"
#include "broker/log/logger.hpp"
#include "broker/service/kvs_loader.hpp"

namespace sluice {
namespace {

constexpr const char* primary = "primary";

}  // namespace

void KvsCommits::submit(const std::string& name, std::vector<KvsOp> ops, std::int64_t flags,
                        Done done) {
    if ((flags & kvs_commit_flag::sync) && name != primary)
        return done(fail(EINVAL, "only namespace primary has checkpoints to sync with"));
    count(ops.size());
    queues_[name].waiting.push_back({std::move(ops), flags, std::move(done),
                                    std::make_shared<KvsBlobs>(content_.cache())});
    schedule(name);
}

void KvsCommits::schedule(const std::string& name) {
    Queue& queue = queues_[name];
    if (std::exchange(queue.scheduled, true)) return;
    context_.turn_end.post([this, name] { process(name); });
}

void KvsCommits::process(const std::string& name) {
    const auto found = queues_.find(name);
    Queue& queue = found->second;
    while (!queue.waiting.empty()) {
        std::vector<Transaction> group;
        bool stalled = false;
        while (!queue.waiting.empty()) {
            const bool apart =
                queue.waiting.front().flags & (kvs_commit_flag::no_merge | kvs_commit_flag::sync);
            if (apart && !group.empty()) break;
            stalled = !apply_next(name, queue, group);
            if (stalled || apart) break;
        }
        if (!group.empty()) finish(name, std::move(group));
        if (stalled) return;  // apply_next() has arranged to go on
    }
    queues_.erase(found);
}

/// Applies the first that waits and moves it to `group`, or answers its error. False when blobs are
/// missing: nothing happened, and process() is called once they are here.
bool KvsCommits::apply_next(const std::string& name, Queue& queue,
                            std::vector<Transaction>& group) {
    Transaction& next = queue.waiting.front();
    const Result<void> applied = kvs_.apply(name, next.ops, *next.blobs);
    if (next.blobs->missing()) {
        load_missing(content_, next.blobs, [this, name] { process(name); });
        return false;
    }
    Transaction taken = std::move(next);
    queue.waiting.pop_front();
    if (applied) group.push_back(std::move(taken));
    else taken.done(applied.error());
    return true;
}

void KvsCommits::finish(const std::string& name, std::vector<Transaction> group) {
    std::set<std::string> keys;
    for (const Transaction& each : group)
        for (const KvsOp& op : each.ops) keys.insert(normalize_key(op.key));
    const Result<KvsNamespace*> state = kvs_.settle(name);
    if (!state) {
        for (const Transaction& each : group) each.done(state.error());
        return;
    }
    publish(name, **state, keys, group.size());
    const Version version{(*state)->rootref(), (*state)->rootseq};
    for (Transaction& each : group) {
        if (!(each.flags & kvs_commit_flag::sync)) {
            each.done(version);
            continue;
        }
        checkpoint([done = std::move(each.done), version](const Result<void>& stored) {
            if (stored) done(version);
            else done(stored.error());
        });
    }
    kvs_.tell(name, std::move(keys));  // those who commit hear of it first
    content_.changed();
}

void KvsCommits::publish(const std::string& name, const KvsNamespace& state,
                         const std::set<std::string>& keys, std::size_t count) {
    JsonArray names;
    for (std::size_t i = 0; i < count; ++i)
        names.emplace_back("transaction_req.0." + std::to_string(next_name_++));
    JsonObject touched;
    for (const std::string& key : keys) touched[key] = nullptr;
    rpc_.publish("kvs.namespace-" + name + "-setroot",
                 {{"namespace", name},
                  {"rootseq", state.rootseq},
                  {"rootref", state.rootref()},
                  {"names", std::move(names)},
                  {"keys", std::move(touched)},
                  {"owner", state.owner.value}},
                 message_flag::private_);
}

void KvsCommits::copy_root(const std::string& rootref, const std::string& key,
                           std::function<void()> then) {
    const Credential owner{context_.router.owner(), role::owner};
    with_blobs(content_, std::make_shared<KvsBlobs>(content_.cache()),
               [=, this, then = std::move(then)](KvsBlobs& blobs) {
                   const auto dir = kvs_.lookup(
                       {.key = ".", .rootref = rootref, .flags = kvs_flag::readdir}, owner, blobs);
                   if (blobs.missing()) return;
                   std::vector<KvsOp> ops;
                   if (dir)
                       for (const auto& [name, object] : dir->entries)
                           ops.push_back({key + "." + name, 0, object});
                   submit(primary, std::move(ops), 0, [then](const auto&) { then(); });
               });
}

void KvsCommits::count(std::size_t ops) {
    const auto value = static_cast<std::int64_t>(ops);
    stats_.ops_min = stats_.commits ? std::min(stats_.ops_min, value) : value;
    stats_.ops_max = std::max(stats_.ops_max, value);
    const double difference = static_cast<double>(value) - stats_.mean;
    stats_.mean += difference / static_cast<double>(++stats_.commits);
    stats_.square_sum += difference * (static_cast<double>(value) - stats_.mean);
}

StoreBatch::NewCheckpoint KvsCommits::primary_root(bool automatic) {
    const KvsNamespace& state = kvs_.all().find(primary)->second;
    kept_root_ = state.rootref();
    if (!automatic) named_root_ = state.rootref();
    return {dump_json(JsonObject{{"version", 1},
                                 {"rootref", state.rootref()},
                                 {"sequence", state.rootseq},
                                 {"timestamp", wall_clock_now()}}),
            automatic};
}

void KvsCommits::checkpoint(Content::Done done) {
    content_.checkpoint(primary_root(false), std::move(done));
}

void KvsCommits::checkpoint_if_changed() {
    if (kvs_.all().find(primary)->second.rootref() == named_root_) return;
    checkpoint([this](const Result<void>& kept) {
        if (!kept) context_.log.err("kvs", "checkpoint: {}", kept.error().text());
    });
}

std::optional<StoreBatch::NewCheckpoint> KvsCommits::automatic_checkpoint() {
    if (kvs_.all().find(primary)->second.rootref() == kept_root_) return std::nullopt;
    return primary_root(true);
}

}  // namespace sluice
