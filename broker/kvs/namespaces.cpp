#include "broker/kvs/namespaces.hpp"

namespace sluice {
namespace {

constexpr std::string_view primary = "primary";
constexpr std::size_t snapshots_max = 8;

std::string_view kind_text(const TreeObject& object) {
    switch (object.kind) {
        case TreeObject::Kind::val: return "val";
        case TreeObject::Kind::valref: return "valref";
        case TreeObject::Kind::dir: return "non-empty dir";
        case TreeObject::Kind::dirref: return "dirref";
        case TreeObject::Kind::symlink: return "symlink";
    }
    return "";
}

}  // namespace

KvsNamespaces::KvsNamespaces(ContentCache& cache, UserId instance_owner)
    : cache_(cache), instance_owner_(instance_owner) {
    namespaces_[std::string{primary}] = {.owner = instance_owner,
                                         .root = kvs_tree::root_at(kvs_tree::empty_root(cache))};
}

Result<KvsNamespace*> KvsNamespaces::find(std::string_view name, const Credential& user) {
    auto found = namespaces_.find(name);
    if (found == namespaces_.end() && on_missing_ && on_missing_(name))
        found = namespaces_.find(name);
    if (found == namespaces_.end()) return Error{ENOTSUP};
    if (!user.privileged() && user.userid != found->second.owner) return Error{EPERM};
    return &found->second;
}

Result<void> KvsNamespaces::create(const std::string& name, UserId owner, std::int64_t flags,
                                   std::string rootref) {
    if (rootref.empty()) rootref = kvs_tree::empty_root(cache_);
    kvs_tree::pin_tree(rootref, cache_);
    const auto [place, added] = namespaces_.try_emplace(name);
    if (!added) return Error{EEXIST};
    KvsNamespace& state = place->second;
    state.owner = owner == userid_unknown ? instance_owner_ : owner;
    state.flags = flags;
    state.root = kvs_tree::root_at(std::move(rootref));
    if (on_change_) on_change_({Change::Kind::created, name, {}, &state});
    return {};
}

Result<void> KvsNamespaces::remove(std::string_view name) {
    if (name == primary) return Error{ENOTSUP};
    const auto removed = namespaces_.extract(std::string{name});
    if (removed.empty()) return {};
    if (on_change_) on_change_({Change::Kind::removed, removed.key(), {}, nullptr});
    return {};
}

KvsEntry& KvsNamespaces::snapshot(const std::string& rootref) {
    for (auto it = snapshots_.begin(); it != snapshots_.end(); ++it) {
        if (it->object.refs[0] != rootref) continue;
        snapshots_.splice(snapshots_.begin(), snapshots_, it);
        return snapshots_.front();
    }
    if (snapshots_.size() == snapshots_max) snapshots_.pop_back();
    return snapshots_.emplace_front(kvs_tree::root_at(rootref));
}

Result<KvsEntry*> KvsNamespaces::root_of(const Lookup& lookup, const Credential& user) {
    if (lookup.rootref.empty()) {
        SLUICE_TRY(KvsNamespace * state, find(lookup.name_space, user));
        return &state->root;
    }
    if (!user.privileged()) return Error{EPERM};  // a root says nothing of whose it is
    for (auto& [name, state] : namespaces_)
        if (state.rootref() == lookup.rootref) return &state.root;
    return &snapshot(lookup.rootref);
}

Result<TreeObject> KvsNamespaces::lookup(const Lookup& lookup, const Credential& user,
                                         KvsBlobs& blobs) {
    SLUICE_TRY(KvsEntry * root, root_of(lookup, user));
    const auto other = [&](std::string_view name) -> Result<KvsEntry*> {
        SLUICE_TRY(KvsNamespace * state, find(name, user));
        return &state->root;
    };
    return kvs_tree::lookup(*root, lookup.key, lookup.flags, other, blobs);
}

Result<void> KvsNamespaces::check_guest(const std::vector<KvsOp>& ops, const Credential& user) {
    if (user.privileged()) return {};
    for (const KvsOp& op : ops) {
        if (!op.object || op.object->kind == TreeObject::Kind::val) continue;
        if (op.object->kind == TreeObject::Kind::dir && op.object->entries.empty()) continue;
        return fail(EPERM, "guests may not commit {} objects", kind_text(*op.object));
    }
    return {};
}

Result<void> KvsNamespaces::apply(std::string_view name, const std::vector<KvsOp>& ops,
                                  KvsBlobs& blobs) {
    const auto found = namespaces_.find(name);
    if (found == namespaces_.end()) return Error{ENOTSUP};
    return kvs_tree::apply(found->second.root, ops, blobs);
}

Result<KvsNamespace*> KvsNamespaces::settle(std::string_view name) {
    const auto found = namespaces_.find(name);
    if (found == namespaces_.end()) return Error{ENOTSUP};
    SLUICE_CHECK(kvs_tree::settle(found->second.root, cache_));
    ++found->second.rootseq;
    return &found->second;
}

void KvsNamespaces::tell(std::string_view name, std::set<std::string> keys) {
    const auto found = namespaces_.find(name);
    if (found == namespaces_.end() || !on_change_) return;
    on_change_({Change::Kind::commit, found->first, std::move(keys), &found->second});
}

void KvsNamespaces::set_primary(std::string rootref, std::int64_t rootseq) {
    KvsNamespace& state = namespaces_.find(primary)->second;
    state.root = kvs_tree::root_at(std::move(rootref));
    state.rootseq = rootseq;
}

std::size_t KvsNamespaces::count_loaded() const {
    std::size_t count = 0;
    for (const auto& [name, state] : namespaces_) count += kvs_tree::count_loaded(state.root);
    for (const KvsEntry& root : snapshots_) count += kvs_tree::count_loaded(root);
    return count;
}

void KvsNamespaces::trim(std::size_t entries_max) {
    if (count_loaded() <= entries_max) return;
    snapshots_.clear();
    for (auto& [name, state] : namespaces_)
        if (state.root.dir && !state.root.dir->changed) state.root.dir.reset();
}

}  // namespace sluice
