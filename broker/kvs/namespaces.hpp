// KVS namespaces: each has an owner, a root and a sequence number that rises by one with every
// commit. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/rfc/message.hpp"
#include "base/strong_id.hpp"
#include "broker/kvs/kvs_tree.hpp"

namespace sluice {

struct KvsNamespace {
    UserId owner;
    std::int64_t flags = 0;
    KvsEntry root;
    std::int64_t rootseq = 0;

    const std::string& rootref() const { return root.object.refs[0]; }
};

class KvsNamespaces {
  public:
    /// Starts with a namespace "primary" of the instance owner, empty.
    KvsNamespaces(ContentCache& cache, UserId instance_owner);

    /// Errors: ENOTSUP no such namespace, EPERM not for this user (RFC 16: guests have their own).
    Result<KvsNamespace*> find(std::string_view name, const Credential& user);
    /// `rootref` empty: an empty tree; `owner` unknown: the instance owner. Errors: EEXIST.
    Result<void> create(const std::string& name, UserId owner, std::int64_t flags,
                        std::string rootref);
    /// Removing one that is not there succeeds. Errors: ENOTSUP for "primary".
    Result<void> remove(std::string_view name);
    const std::map<std::string, KvsNamespace, std::less<>>& all() const { return namespaces_; }

    struct Lookup {
        std::string key, rootref;  // rootref empty: the current root
        std::string name_space = "primary";
        std::int64_t flags = 0;
    };
    /// Errors: as find and kvs_tree::lookup.
    Result<TreeObject> lookup(const Lookup& lookup, const Credential& user, KvsBlobs& blobs);
    /// Applies the operations of one commit to the tree of `name`; settle() ends what one or more
    /// of them began. Errors: as kvs_tree::apply, ENOTSUP.
    Result<void> apply(std::string_view name, const std::vector<KvsOp>& ops, KvsBlobs& blobs);
    /// The new root, with the next sequence number.
    Result<KvsNamespace*> settle(std::string_view name);
    /// Tells watchers of a commit that touched `keys`.
    void tell(std::string_view name, std::set<std::string> keys);
    /// Whether this user may commit these operations: values, empty directories, nothing.
    /// Errors: EPERM naming the kind.
    static Result<void> check_guest(const std::vector<KvsOp>& ops, const Credential& user);

    /// The tree of a checkpoint becomes the primary one.
    void set_primary(std::string rootref, std::int64_t rootseq);
    /// Frees the memory of directories when they have more than `entries_max` entries.
    void trim(std::size_t entries_max);
    std::size_t count_loaded() const;

    struct Change {
        enum class Kind { commit, created, removed };
        Kind kind = Kind::commit;
        std::string name;
        std::set<std::string> keys;            // that were touched, normal form
        const KvsNamespace* state = nullptr;   // nullptr: removed
    };
    /// Asked to make a namespace that somebody looks for; true when it has.
    using OnMissing = std::function<bool(std::string_view name)>;
    void on_missing(OnMissing on_missing) { on_missing_ = std::move(on_missing); }
    using OnChange = std::function<void(const Change&)>;
    void watch(OnChange on_change) { on_change_ = std::move(on_change); }

  private:
    Result<KvsEntry*> root_of(const Lookup& lookup, const Credential& user);
    KvsEntry& snapshot(const std::string& rootref);

    ContentCache& cache_;
    UserId instance_owner_;
    std::map<std::string, KvsNamespace, std::less<>> namespaces_;
    std::list<KvsEntry> snapshots_;  // older roots that were read, the last used first
    OnChange on_change_;
    OnMissing on_missing_;
};

}  // namespace sluice
