#include "broker/kvs/kvs_tree.hpp"

#include <algorithm>

// GCC 12 takes the short-string buffer of a moved std::string for an overrun (PR105329).
#pragma GCC diagnostic ignored "-Warray-bounds"
#pragma GCC diagnostic ignored "-Wstringop-overflow"

namespace sluice {

using Kind = TreeObject::Kind;

Result<std::vector<KvsOp>> decode_ops(const JsonArray& array) {
    std::vector<KvsOp> ops;
    ops.reserve(array.size());
    for (const Json& item : array) {
        if (!item.is_object()) return fail(EPROTO, "ops: wanted objects");
        JsonReader in{item.as_object()};
        KvsOp op{.key = in.string("key"), .flags = in.integer_or("flags", 0)};
        const Json* dirent = in.any("dirent");
        if (!in) return in.error().in("ops");
        if (dirent->is_object()) {
            SLUICE_TRY(op.object, decode_treeobj(dirent->as_object()));
        } else if (!dirent->is_null()) {
            return fail(EPROTO, "ops: dirent is {}", json_type_name(*dirent));
        }
        ops.push_back(std::move(op));
    }
    return ops;
}

std::string normalize_key(std::string_view key) {
    std::string text;
    for (const std::string& part : split_key(key)) {
        if (!text.empty()) text += '.';
        text += part;
    }
    return text.empty() ? "." : text;
}

namespace kvs_tree {
namespace {

constexpr int links_max = 10;

/// One lookup on its way: what is left of the key, and the links followed so far.
struct Walk {
    KvsEntry* root;
    std::vector<std::string> key;
    bool follow_last;
    const RootOf& root_of;
    KvsBlobs& blobs;
    int links = 0;
};

Result<void> follow(Walk& walk, const TreeObject& link, std::size_t at) {
    if (++walk.links > links_max) return Error{ELOOP};
    std::vector<std::string> key = split_key(link.target);
    key.insert(key.end(), walk.key.begin() + static_cast<std::ptrdiff_t>(at) + 1, walk.key.end());
    walk.key = std::move(key);
    if (link.target_namespace.empty()) return {};
    SLUICE_TRY(walk.root, walk.root_of(link.target_namespace));
    return {};
}

/// The entry at the key. A value on the way is no directory: then nothing is there (ENOENT).
Result<KvsEntry*> find(Walk& walk) {
    KvsEntry* here = walk.root;
    for (std::size_t i = 0; i < walk.key.size();) {
        if (here->object.kind != Kind::dirref) return Error{ENOENT};
        SLUICE_TRY(KvsDir * dir, open(*here, walk.blobs));
        const auto found = dir->entries.find(walk.key[i]);
        if (found == dir->entries.end()) return Error{ENOENT};
        here = &found->second;
        const bool last = i + 1 == walk.key.size();
        if (here->object.kind == Kind::symlink && (!last || walk.follow_last)) {
            SLUICE_CHECK(follow(walk, here->object, i));
            here = walk.root;
            i = 0;
        } else {
            ++i;
        }
    }
    return here;
}

TreeObject shallow(const KvsDir& dir) {
    TreeObject object = TreeObject::make_dir();
    for (const auto& [name, entry] : dir.entries)
        object.entries.emplace_hint(object.entries.end(), name, entry.object);
    return object;
}

}  // namespace

KvsEntry root_at(std::string blobref) {
    return {.object = TreeObject::make_dirref(std::move(blobref))};
}

std::string empty_root(ContentCache& cache) {
    // A blob this small is always taken, whatever the hash.
    return cache.store(dir_blob(TreeObject::make_dir())).value_or("");
}

Result<KvsDir*> open(KvsEntry& entry, KvsBlobs& blobs) {
    if (entry.object.kind != Kind::dirref) return Error{ENOTDIR};
    if (entry.dir) return entry.dir.get();
    SLUICE_TRY(const Blob blob, blobs.find(entry.object.refs[0]));
    SLUICE_TRY(const JsonObject json, parse_json_object(*blob));
    SLUICE_TRY(TreeObject object, decode_treeobj(json));
    if (object.kind != Kind::dir)
        return fail(EINVAL, "{}: not a directory", entry.object.refs[0]);
    auto dir = std::make_unique<KvsDir>();
    for (auto& [name, child] : object.entries) {
        if (child.kind == Kind::dir)
            return fail(EINVAL, "{}: has a directory in place of a reference to one",
                        entry.object.refs[0]);
        dir->entries.emplace_hint(dir->entries.end(), name, KvsEntry{std::move(child), nullptr});
    }
    entry.dir = std::move(dir);
    return entry.dir.get();
}

Result<std::string> bytes(const TreeObject& object, KvsBlobs& blobs) {
    if (object.kind == Kind::val) return object.value;
    if (object.kind != Kind::valref) return Error{EINVAL};
    std::string all;
    std::optional<Error> error;
    for (const std::string& ref : object.refs) {  // to the end: all that is missing at once
        const Result<Blob> blob = blobs.find(ref);
        if (blob) all += **blob;
        else if (!error || error->errnum() == EAGAIN) error = blob.error();
    }
    if (error) return blobs.missing() ? Error{EAGAIN} : *error;
    return all;
}

Result<TreeObject> lookup(KvsEntry& root, std::string_view key, std::int64_t flags,
                          const RootOf& root_of, KvsBlobs& blobs) {
    const bool as_stored = flags & kvs_flag::treeobj, link = flags & kvs_flag::readlink;
    const bool readdir = flags & kvs_flag::readdir;
    Walk walk{.root = &root,
              .key = split_key(key),
              .follow_last = !(as_stored || link),
              .root_of = root_of,
              .blobs = blobs};
    const bool at_root = walk.key.empty();
    SLUICE_TRY(KvsEntry * entry, find(walk));
    if (as_stored) return entry->object;
    if (entry->object.is_directory()) {
        if (link && !at_root) return Error{EINVAL};
        if (!readdir) return Error{EISDIR};
        SLUICE_TRY(KvsDir * dir, open(*entry, blobs));
        return shallow(*dir);
    }
    const bool is_link = entry->object.kind == Kind::symlink;
    if (link && !is_link) return Error{EINVAL};
    if (readdir) return Error{ENOTDIR};
    if (is_link) return entry->object;
    SLUICE_TRY(std::string value, bytes(entry->object, blobs));
    return TreeObject::make_val(std::move(value));
}

std::size_t count_loaded(const KvsEntry& root) {
    if (!root.dir) return 0;
    std::size_t count = root.dir->entries.size();
    for (const auto& [name, entry] : root.dir->entries) count += count_loaded(entry);
    return count;
}

}  // namespace kvs_tree
}  // namespace sluice
