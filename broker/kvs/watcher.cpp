#include "broker/kvs/watcher.hpp"

#include <algorithm>

#include "base/blobref.hpp"

namespace sluice {

Result<TreeObject> KvsWatcher::look(KvsNamespaces& kvs, const Credential& user,
                                    std::int64_t flags) const {
    constexpr std::int64_t lookup_flags =
        kvs_flag::readdir | kvs_flag::readlink | kvs_flag::treeobj;
    return kvs.lookup({.key = key_, .name_space = namespace_, .flags = flags & lookup_flags}, user);
}

KvsWatcher::Step KvsWatcher::start(KvsNamespaces& kvs, const Credential& user) {
    Step step = has(kvs_flag::watch_append) || has(kvs_flag::stream) ? next_blobs(kvs, user)
                                                                     : next_value(kvs, user);
    step.sentinel = has(kvs_flag::initial_sentinel) && !step.end;
    return step;
}

KvsWatcher::Step KvsWatcher::update(KvsNamespaces& kvs, const Credential& user,
                                    const std::set<std::string>& keys) {
    const bool gone = !kvs.all().contains(namespace_);
    if (gone && seen_) return {.end = Error{ENOTSUP}};
    const bool touched = keys.empty() || keys.contains(key_);
    // A key that has not been there yet may come with its directory, under another key.
    if (seen_ && !touched && !has(kvs_flag::watch_full) && !has(kvs_flag::watch_uniq)) return {};
    if (seen_ && keys.empty()) return {};
    if (has(kvs_flag::watch_append) || has(kvs_flag::stream)) return next_blobs(kvs, user);
    return next_value(kvs, user);
}

KvsWatcher::Step KvsWatcher::fail_or_wait(const Error& error) {
    const bool missing = error.errnum() == ENOENT || error.errnum() == ENOTSUP;
    if (missing && !seen_ && has(kvs_flag::waitcreate)) return {};
    return {.end = error};
}

KvsWatcher::Step KvsWatcher::next_value(KvsNamespaces& kvs, const Credential& user) {
    Result<TreeObject> object = look(kvs, user, flags_);
    if (!object) return fail_or_wait(object.error());
    const bool first = !std::exchange(seen_, true);
    const bool compare = has(kvs_flag::watch_full) || has(kvs_flag::watch_uniq);
    if (!first && compare && last_ == *object) return {};
    Step step{.replies = {*object}};
    last_ = *std::move(object);
    if (!has(kvs_flag::watch)) step.end = Error{ENODATA};
    return step;
}

KvsWatcher::Step KvsWatcher::next_blobs(KvsNamespaces& kvs, const Credential& user) {
    const Result<TreeObject> object = look(kvs, user, kvs_flag::treeobj);
    if (!object) return fail_or_wait(object.error());
    if (object->is_directory()) return {.end = Error{EISDIR}};
    const bool first = !std::exchange(seen_, true);
    // A value is the one blob that it becomes when something is appended to it.
    std::vector<std::string> blobs = object->refs;
    if (object->kind == TreeObject::Kind::val) {
        const auto hash = hash_blob(kvs.tree().algorithm(), object->value);
        blobs = {hash ? blobref_of(kvs.tree().algorithm(), *hash) : ""};
    }
    const bool continues =
        blobs.size() >= blobs_.size() && std::equal(blobs_.begin(), blobs_.end(), blobs.begin());
    if (!first && !continues)
        return {
            .end = fail(EINVAL, "key '{}' was overwritten while it was watched for appends", key_)};
    Step step;
    for (std::size_t i = blobs_.size(); i < blobs.size(); ++i) {
        auto bytes = object->kind == TreeObject::Kind::val
                         ? Result<std::string>{object->value}
                         : kvs.tree().bytes(TreeObject::make_valref({blobs[i]}));
        if (!bytes) return {.end = bytes.error()};
        step.replies.push_back(TreeObject::make_val(*std::move(bytes)));
    }
    blobs_ = std::move(blobs);
    if (!has(kvs_flag::watch)) step.end = Error{ENODATA};
    return step;
}

}  // namespace sluice
