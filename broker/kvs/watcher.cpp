#include "broker/kvs/watcher.hpp"

#include <algorithm>

#include "base/blobref.hpp"

namespace sluice {
namespace {

std::string_view kind_text(const TreeObject& object) {
    switch (object.kind) {
        case TreeObject::Kind::val: return "val";
        case TreeObject::Kind::valref: return "valref";
        case TreeObject::Kind::dir: return "dir";
        case TreeObject::Kind::dirref: return "dirref";
        case TreeObject::Kind::symlink: return "symlink";
    }
    return "";
}

}  // namespace

KvsWatcher::Step KvsWatcher::update(const KvsNamespaces::Change& change, KvsNamespaces& kvs,
                                    const Credential& user, KvsBlobs& blobs) {
    if (!change.state) {
        if (!begun_) return {};
        return {.end = Error{ENOTSUP}};
    }
    const bool touched = change.keys.contains(key_);
    // A key that has not been there yet may come with its directory, under another key.
    if (seen_ && !touched && !has(kvs_flag::watch_full)) return {};
    return look(kvs, user, blobs);
}

KvsWatcher::Step KvsWatcher::look(KvsNamespaces& kvs, const Credential& user, KvsBlobs& blobs) {
    constexpr std::int64_t lookup_flags =
        kvs_flag::readdir | kvs_flag::readlink | kvs_flag::treeobj;
    const bool as_blobs = has(kvs_flag::watch_append) || has(kvs_flag::stream);
    const bool first = !begun_;
    begun_ = kvs.all().contains(namespace_);
    Result<TreeObject> object =
        kvs.lookup({.key = key_,
                    .name_space = namespace_,
                    .flags = as_blobs ? kvs_flag::treeobj : flags_ & lookup_flags},
                   user, blobs);
    Step step = !object    ? on_failure(object.error(), first)
                : as_blobs ? on_stored(*object, first, blobs)
                           : on_value(*std::move(object), first);
    if (step.missing) begun_ = !first;
    return step;
}

KvsWatcher::Step KvsWatcher::on_failure(const Error& error, bool first) {
    if (error.errnum() == EAGAIN) return {.missing = true};
    const bool not_there = error.errnum() == ENOENT || error.errnum() == ENOTSUP;
    if (!not_there || seen_ || !has(kvs_flag::waitcreate)) return {.end = error};
    return {.sentinel = begun_ && first && has(kvs_flag::initial_sentinel)};
}

KvsWatcher::Step KvsWatcher::on_value(TreeObject object, bool first) {
    const bool again = std::exchange(seen_, true);
    const bool compare = has(kvs_flag::watch_full) || has(kvs_flag::watch_uniq);
    if (again && compare && last_ == object) return {};
    if (compare) last_ = object;
    Step step;
    step.replies.push_back(std::move(object));
    step.sentinel = first && has(kvs_flag::initial_sentinel);
    if (!has(kvs_flag::watch)) step.end = Error{ENODATA};
    return step;
}

Error KvsWatcher::not_appendable(const TreeObject& object) const {
    const int errnum = object.is_directory() && !seen_ ? EISDIR : EINVAL;
    return fail(errnum, "{} cannot be {}", kind_text(object),
                has(kvs_flag::watch_append) ? "watched with WATCH_APPEND" : "streamed");
}

KvsWatcher::Step KvsWatcher::on_stored(const TreeObject& object, bool first, KvsBlobs& blobs) {
    const bool is_val = object.kind == TreeObject::Kind::val;
    if (!is_val && object.kind != TreeObject::Kind::valref) return {.end = not_appendable(object)};
    // A value is the one blob that it becomes when something is appended to it.
    std::vector<std::string> refs = object.refs;
    const std::string& algorithm = blobs.cache().algorithm();
    if (is_val) refs = {blobref_of(algorithm, hash_blob(algorithm, object.value).value_or(""))};
    const bool shorter = refs.size() < sent_.size();
    if (shorter && !is_val)
        return {.end = fail(EINVAL, "key watched with WATCH_APPEND shortened")};
    if ((is_val && seen_) || !std::equal(sent_.begin(), sent_.end(), refs.begin()))
        return {.end = fail(EINVAL, "value of key watched with WATCH_APPEND overwritten")};
    Step step;
    for (std::size_t i = sent_.size(); i < refs.size(); ++i) {
        auto bytes = is_val ? Result<std::string>{object.value}
                            : kvs_tree::bytes(TreeObject::make_valref({refs[i]}), blobs);
        if (bytes) step.replies.push_back(TreeObject::make_val(*std::move(bytes)));
        else if (bytes.error().errnum() != EAGAIN) return {.end = bytes.error()};
    }
    if (blobs.missing()) return {.missing = true};
    seen_ = true;
    sent_ = std::move(refs);
    step.sentinel = first && has(kvs_flag::initial_sentinel);
    if (!has(kvs_flag::watch)) step.end = Error{ENODATA};
    return step;
}

}  // namespace sluice
