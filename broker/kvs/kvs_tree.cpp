#include "broker/kvs/kvs_tree.hpp"

#include <span>

// GCC 12 takes the short-string buffer of a moved std::string for an overrun (PR105329).
#pragma GCC diagnostic ignored "-Warray-bounds"
#pragma GCC diagnostic ignored "-Wstringop-overflow"

namespace sluice {
namespace {

using Kind = TreeObject::Kind;
constexpr int links_max = 10;
constexpr std::size_t inline_bytes_max = 72;  // as long as a blobref: larger values are blobs

}  // namespace

Result<std::vector<KvsOp>> decode_ops(const JsonArray& array) {
    std::vector<KvsOp> ops;
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

std::string KvsTree::empty_root() {
    // A blob this small is always taken, whatever the hash.
    return content_.store(dir_blob(TreeObject::make_dir())).value_or("");
}

Result<TreeObject> KvsTree::directory(const TreeObject& object) const {
    if (object.kind == Kind::dir) return object;
    if (object.kind != Kind::dirref) return Error{ENOTDIR};
    SLUICE_TRY(const std::string* blob, content_.load(object.refs[0]));
    SLUICE_TRY(const JsonObject json, parse_json_object(*blob));
    SLUICE_TRY(TreeObject dir, decode_treeobj(json));
    if (dir.kind != Kind::dir) return fail(EPROTO, "{}: not a directory", object.refs[0]);
    return dir;
}

Result<std::string> KvsTree::bytes(const TreeObject& object) const {
    if (object.kind == Kind::val) return object.value;
    if (object.kind != Kind::valref) return Error{EINVAL};
    std::string all;
    for (const std::string& ref : object.refs) {
        SLUICE_TRY(const std::string* blob, content_.load(ref));
        all += *blob;
    }
    return all;
}

/// One lookup on its way: what is left of the key, and the links followed so far.
struct KvsTree::Walk {
    std::string root;
    std::vector<std::string> key;
    bool follow_last;
    const RootOf& root_of;
    int links = 0;
};

Result<TreeObject> KvsTree::walk(Walk& walk) const {
    TreeObject here = TreeObject::make_dirref(walk.root);
    for (std::size_t i = 0; i < walk.key.size(); ++i) {
        SLUICE_TRY(TreeObject dir, directory(here));
        const auto found = dir.entries.find(walk.key[i]);
        if (found == dir.entries.end()) return Error{ENOENT};
        here = std::move(found->second);
        const bool last = i + 1 == walk.key.size();
        if (here.kind != Kind::symlink || (last && !walk.follow_last)) continue;
        if (++walk.links > links_max) return Error{ELOOP};
        std::vector<std::string> key = split_key(here.target);
        key.insert(key.end(), walk.key.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                   walk.key.end());
        if (!here.target_namespace.empty()) {
            SLUICE_TRY(walk.root, walk.root_of(here.target_namespace));
        }
        walk.key = std::move(key);
        return this->walk(walk);
    }
    return here;
}

Result<TreeObject> KvsTree::lookup(const std::string& root, std::string_view key,
                                   std::int64_t flags, const RootOf& root_of) const {
    const bool as_stored = flags & kvs_flag::treeobj, link = flags & kvs_flag::readlink;
    Walk state{.root = root,
               .key = split_key(key),
               .follow_last = !(as_stored || link),
               .root_of = root_of};
    SLUICE_TRY(TreeObject object, walk(state));
    if (as_stored) return object;
    if (link) {
        if (object.kind != Kind::symlink) return Error{EINVAL};
        return object;
    }
    if (flags & kvs_flag::readdir) return directory(object);
    if (object.is_directory()) return Error{EISDIR};
    SLUICE_TRY(std::string value, bytes(object));
    return TreeObject::make_val(std::move(value));
}

Result<void> KvsTree::load_in_place(TreeObject& object) const {
    if (object.kind == Kind::dir) return {};
    SLUICE_TRY(object, directory(object));
    return {};
}

Result<std::string> KvsTree::commit(const std::string& root, const std::vector<KvsOp>& ops) {
    SLUICE_TRY(TreeObject dir, directory(TreeObject::make_dirref(root)));
    for (const KvsOp& op : ops) SLUICE_CHECK(apply(dir, op));
    return store_dir(dir);
}

Result<void> KvsTree::apply(TreeObject& root, const KvsOp& op) {
    std::vector<std::string> key = split_key(op.key);
    if (key.empty()) return fail(EINVAL, "key '{}' is the root, which cannot be replaced", op.key);
    TreeObject* dir = &root;
    int links = 0;
    for (std::size_t i = 0; i + 1 < key.size(); ++i) {
        const auto found = dir->entries.find(key[i]);
        if (found == dir->entries.end()) {
            if (!op.object) return {};  // nothing there to unlink
            dir = &dir->entries.emplace(key[i], TreeObject::make_dir()).first->second;
            continue;
        }
        TreeObject& entry = found->second;
        if (entry.kind == Kind::symlink) {
            if (++links > links_max) return Error{ELOOP};
            if (!entry.target_namespace.empty())
                return fail(EINVAL, "key '{}' leads into namespace {}", op.key,
                            entry.target_namespace);
            std::vector<std::string> target = split_key(entry.target);
            target.insert(target.end(), key.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                          key.end());
            key = std::move(target);
            dir = &root;
            i = static_cast<std::size_t>(-1);  // from the first part again
            continue;
        }
        if (!entry.is_directory()) {
            if (!op.object) return {};
            entry = TreeObject::make_dir();  // a directory takes the place of a value
        }
        SLUICE_CHECK(load_in_place(entry));
        dir = &entry;
    }
    return put(*dir, key.back(), op);
}

Result<void> KvsTree::put(TreeObject& dir, const std::string& name, const KvsOp& op) {
    if (!op.object) {
        dir.entries.erase(name);
        return {};
    }
    const auto found = dir.entries.find(name);
    if ((op.flags & kvs_flag::append) && found != dir.entries.end())
        return append(found->second, *op.object);
    dir.entries.insert_or_assign(name, *op.object);
    return {};
}

Result<void> KvsTree::append(TreeObject& entry, const TreeObject& value) {
    if (entry.is_directory()) return Error{EISDIR};
    if (entry.kind == Kind::symlink || value.kind != Kind::val)
        return fail(EINVAL, "append works from a value to a value");
    if (entry.kind == Kind::val) {
        SLUICE_TRY(std::string ref, content_.store(std::move(entry.value)));
        entry = TreeObject::make_valref({std::move(ref)});
    }
    SLUICE_TRY(std::string ref, content_.store(value.value));
    entry.refs.push_back(std::move(ref));
    return {};
}

Result<std::string> KvsTree::store_dir(TreeObject& dir) {
    for (auto& [name, entry] : dir.entries) {
        if (entry.kind == Kind::dir) {
            SLUICE_TRY(std::string ref, store_dir(entry));
            entry = TreeObject::make_dirref(std::move(ref));
        } else if (entry.kind == Kind::val && entry.value.size() > inline_bytes_max) {
            SLUICE_TRY(std::string ref, content_.store(std::move(entry.value)));
            entry = TreeObject::make_valref({std::move(ref)});
        }
    }
    return content_.store(dir_blob(dir));
}

}  // namespace sluice
