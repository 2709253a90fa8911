// KVS namespaces: each has an owner, a root and a sequence number that rises by one with every
// commit. Pure.
#pragma once

#include <cstdint>
#include <functional>
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
    std::string rootref;
    std::int64_t rootseq = 0;
};

class KvsNamespaces {
  public:
    /// Starts with an empty namespace "primary" of the instance owner.
    KvsNamespaces(ContentCache& content, UserId instance_owner);

    /// Errors: ENOTSUP no such namespace, EPERM not for this user (RFC 16: guests have their own).
    Result<KvsNamespace*> find(std::string_view name, const Credential& user);
    /// Errors: EEXIST.
    Result<void> create(std::string name, KvsNamespace state);
    /// Removing one that is not there succeeds. Errors: ENOTSUP for "primary".
    Result<void> remove(std::string_view name);
    const std::map<std::string, KvsNamespace, std::less<>>& all() const { return namespaces_; }

    struct Lookup {
        std::string key, rootref;  // rootref empty: the current root
        std::string name_space = "primary";
        std::int64_t flags = 0;
    };
    /// Errors: as find and KvsTree::lookup.
    Result<TreeObject> lookup(const Lookup& lookup, const Credential& user);
    /// Applies `ops`; an empty list changes the sequence number only.
    /// Errors: as find and KvsTree::commit; EPERM when a guest stores references or links.
    Result<KvsNamespace> commit(std::string_view name, const std::vector<KvsOp>& ops,
                                const Credential& user);

    /// Called after a commit with the keys it touched, or with no keys after a removal or creation.
    using OnChange =
        std::function<void(const std::string& name, const std::set<std::string>& keys)>;
    void watch(OnChange on_change) { on_change_ = std::move(on_change); }

    KvsTree& tree() { return tree_; }

  private:
    void changed(const std::string& name, const std::set<std::string>& keys) const {
        if (on_change_) on_change_(name, keys);
    }

    KvsTree tree_;
    UserId instance_owner_;
    std::map<std::string, KvsNamespace, std::less<>> namespaces_;
    OnChange on_change_;
};

/// Key with single dots and none at the ends, as keys are compared.
std::string normalize_key(std::string_view key);

}  // namespace sluice
