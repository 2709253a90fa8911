#include "broker/kvs/namespaces.hpp"

#include <algorithm>

namespace sluice {
namespace {

constexpr std::string_view primary = "primary";

/// What a guest may store: values, empty directories, nothing.
bool guest_may_store(const KvsOp& op) {
    if (!op.object) return true;
    return op.object->kind == TreeObject::Kind::val ||
           (op.object->kind == TreeObject::Kind::dir && op.object->entries.empty());
}

}  // namespace

std::string normalize_key(std::string_view key) {
    std::string text;
    for (const std::string& part : split_key(key)) text += (text.empty() ? "" : ".") + part;
    return text;
}

KvsNamespaces::KvsNamespaces(ContentCache& content, UserId instance_owner)
    : tree_(content), instance_owner_(instance_owner) {
    namespaces_[std::string{primary}] = {.owner = instance_owner, .rootref = tree_.empty_root()};
}

Result<KvsNamespace*> KvsNamespaces::find(std::string_view name, const Credential& user) {
    const auto found = namespaces_.find(name);
    if (found == namespaces_.end()) return Error{ENOTSUP};
    if (!user.privileged() && user.userid != found->second.owner) return Error{EPERM};
    return &found->second;
}

Result<void> KvsNamespaces::create(std::string name, KvsNamespace state) {
    if (state.owner == userid_unknown) state.owner = instance_owner_;
    const auto [place, added] = namespaces_.try_emplace(name, std::move(state));
    if (!added) return Error{EEXIST};
    changed(name, {});
    return {};
}

Result<void> KvsNamespaces::remove(std::string_view name) {
    if (name == primary) return Error{ENOTSUP};
    const auto found = namespaces_.find(name);
    if (found == namespaces_.end()) return {};
    const std::string removed = found->first;
    namespaces_.erase(found);
    changed(removed, {});
    return {};
}

Result<TreeObject> KvsNamespaces::lookup(const Lookup& lookup, const Credential& user) {
    std::string root = lookup.rootref;
    if (root.empty()) {
        SLUICE_TRY(const KvsNamespace* state, find(lookup.name_space, user));
        root = state->rootref;
    } else if (!user.privileged()) {
        return Error{EPERM};  // a root says nothing of whose it is
    }
    return tree_.lookup(root, lookup.key, lookup.flags,
                        [&](std::string_view name) -> Result<std::string> {
                            SLUICE_TRY(const KvsNamespace* state, find(name, user));
                            return state->rootref;
                        });
}

Result<KvsNamespace> KvsNamespaces::commit(std::string_view name, const std::vector<KvsOp>& ops,
                                           const Credential& user) {
    SLUICE_TRY(KvsNamespace * state, find(name, user));
    if (!user.privileged() && !std::ranges::all_of(ops, guest_may_store)) return Error{EPERM};
    SLUICE_TRY(state->rootref, tree_.commit(state->rootref, ops));
    ++state->rootseq;
    const KvsNamespace after = *state;
    std::set<std::string> keys;
    for (const KvsOp& op : ops) keys.insert(normalize_key(op.key));
    changed(std::string{name}, keys);
    return after;
}

}  // namespace sluice
