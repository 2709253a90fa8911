// Changing a tree: operations in place with the way back kept, then the new blobs.
#include <functional>

#include "broker/kvs/kvs_tree.hpp"

// GCC 12 takes the short-string buffer of a moved std::string for an overrun (PR105329).
#pragma GCC diagnostic ignored "-Warray-bounds"
#pragma GCC diagnostic ignored "-Wstringop-overflow"

namespace sluice::kvs_tree {
namespace {

using Kind = TreeObject::Kind;
constexpr int links_max = 10;
/// A value whose base64 form is longer than the longest blobref becomes a blob (as stock does).
constexpr std::size_t inline_base64_max = 72;

bool is_large(const std::string& value) { return (value.size() + 2) / 3 * 4 > inline_base64_max; }

KvsEntry entry_of(const TreeObject& object) {
    if (object.kind != Kind::dir) return {.object = object};
    KvsEntry entry = root_at("");
    entry.dir = std::make_unique<KvsDir>();
    entry.dir->changed = true;
    for (const auto& [name, child] : object.entries)
        entry.dir->entries.emplace_hint(entry.dir->entries.end(), name, entry_of(child));
    return entry;
}

/// What a client links into a tree may have left its place in another one meanwhile.
void pin_all(const TreeObject& object, ContentCache& cache) {
    if (object.kind == Kind::dirref) pin_tree(object.refs[0], cache);
    for (const auto& [name, entry] : object.entries) pin_all(entry, cache);
}

/// The transaction under way: what stood in the places that it has changed.
class Change {
  public:
    Change(KvsEntry& root, KvsBlobs& blobs) : root_(root), blobs_(blobs) {}

    Result<void> apply(const KvsOp& op);
    void undo() {
        for (auto saved = saved_.rbegin(); saved != saved_.rend(); ++saved) {
            auto& entries = saved->dir->entries;
            if (saved->appended) entries.find(saved->name)->second.object.refs.pop_back();
            else if (saved->old) entries.insert_or_assign(saved->name, *std::move(saved->old));
            else entries.erase(saved->name);
        }
    }

  private:
    struct Saved {
        KvsDir* dir;
        std::string name;
        std::optional<KvsEntry> old;
        bool appended = false;  // one more reference is all that changed
    };
    Result<void> put(KvsDir& dir, const std::string& name, const KvsOp& op);
    Result<void> append(KvsDir& dir, const std::string& name, const TreeObject& value);
    /// Puts `entry` in the place of what is there, or nothing.
    void replace(KvsDir& dir, const std::string& name, std::optional<KvsEntry> entry);
    Result<KvsDir*> descend(KvsDir& dir, const std::string& name, bool create);

    KvsEntry& root_;
    KvsBlobs& blobs_;
    std::vector<Saved> saved_;
};

void Change::replace(KvsDir& dir, const std::string& name, std::optional<KvsEntry> entry) {
    const auto found = dir.entries.find(name);
    Saved saved{&dir, name, std::nullopt};
    if (found != dir.entries.end()) saved.old = std::move(found->second);
    if (entry && found != dir.entries.end()) found->second = *std::move(entry);
    else if (entry) dir.entries.emplace(name, *std::move(entry));
    else if (found != dir.entries.end()) dir.entries.erase(found);
    saved_.push_back(std::move(saved));
}

/// The directory `name` in `dir`; nullptr when there is none and none is to be made.
Result<KvsDir*> Change::descend(KvsDir& dir, const std::string& name, bool create) {
    const auto found = dir.entries.find(name);
    if (found != dir.entries.end() && found->second.object.kind == Kind::dirref) {
        SLUICE_TRY(KvsDir * below, open(found->second, blobs_));
        below->changed = true;
        return below;
    }
    if (!create) return nullptr;
    replace(dir, name, entry_of(TreeObject::make_dir()));  // also in the place of a value
    return dir.entries.find(name)->second.dir.get();
}

Result<void> Change::apply(const KvsOp& op) {
    std::vector<std::string> key = split_key(op.key);
    if (op.key.empty() && !op.object) return {};  // nothing has this name
    if (key.empty()) return fail(EINVAL, "key '{}' is the root, which cannot be replaced", op.key);
    int links = 0;
    SLUICE_TRY(KvsDir * dir, open(root_, blobs_));
    dir->changed = true;
    KvsDir* const top = dir;
    for (std::size_t i = 0; i + 1 < key.size(); ++i) {
        const auto found = dir->entries.find(key[i]);
        if (found != dir->entries.end() && found->second.object.kind == Kind::symlink) {
            const TreeObject& link = found->second.object;
            if (++links > links_max) return Error{ELOOP};
            if (!link.target_namespace.empty())
                return fail(EINVAL, "key '{}' leads into namespace {}", op.key,
                            link.target_namespace);
            std::vector<std::string> target = split_key(link.target);
            target.insert(target.end(), key.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                          key.end());
            key = std::move(target);
            dir = top;
            i = static_cast<std::size_t>(-1);  // from the first part again
            continue;
        }
        SLUICE_TRY(dir, descend(*dir, key[i], op.object.has_value()));
        if (!dir) return {};  // nothing there to unlink
    }
    return put(*dir, key.back(), op);
}

Result<void> Change::put(KvsDir& dir, const std::string& name, const KvsOp& op) {
    const auto found = dir.entries.find(name);
    if (!op.object) {
        if (found != dir.entries.end()) replace(dir, name, std::nullopt);
        return {};
    }
    if (!(op.flags & kvs_flag::append)) {
        pin_all(*op.object, blobs_.cache());
        replace(dir, name, entry_of(*op.object));
        return {};
    }
    if (op.object->kind != Kind::val) return fail(EPROTO, "only a val can be appended");
    if (found != dir.entries.end()) return append(dir, name, *op.object);
    replace(dir, name, entry_of(*op.object));
    return {};
}

Result<void> Change::append(KvsDir& dir, const std::string& name, const TreeObject& value) {
    TreeObject& object = dir.entries.find(name)->second.object;
    if (object.is_directory()) return Error{EISDIR};
    if (object.kind == Kind::symlink) return Error{EOPNOTSUPP};
    SLUICE_TRY(std::string ref, blobs_.cache().store(value.value));
    if (object.kind == Kind::valref) {
        object.refs.push_back(std::move(ref));
        saved_.push_back({&dir, name, std::nullopt, true});
        return {};
    }
    SLUICE_TRY(std::string first, blobs_.cache().store(object.value));
    replace(dir, name, entry_of(TreeObject::make_valref({std::move(first), std::move(ref)})));
    return {};
}

}  // namespace

void pin_tree(const std::string& blobref, ContentCache& cache) {
    if (!cache.pin(blobref)) return;
    const auto json = parse_json_object(*cache.find(blobref));
    const auto dir = json ? decode_treeobj(*json) : Result<TreeObject>{json.error()};
    if (!dir) return;
    for (const auto& [name, entry] : dir->entries)
        if (entry.kind == Kind::dirref) pin_tree(entry.refs[0], cache);
}

Result<void> apply(KvsEntry& root, const std::vector<KvsOp>& ops, KvsBlobs& blobs) {
    Change change{root, blobs};
    for (const KvsOp& op : ops) {
        auto done = change.apply(op);
        if (done) continue;
        change.undo();
        return done;
    }
    return {};
}

Result<void> settle(KvsEntry& root, ContentCache& cache) {
    if (!root.dir || !root.dir->changed) return {};
    std::string blob = R"({"data":)";
    char before = '{';
    for (auto& [name, entry] : root.dir->entries) {
        if (entry.dir) SLUICE_CHECK(settle(entry, cache));
        if (entry.object.kind == Kind::val && is_large(entry.object.value)) {
            SLUICE_TRY(std::string ref, cache.store(std::move(entry.object.value)));
            entry.object = TreeObject::make_valref({std::move(ref)});
        }
        append_name(blob, std::exchange(before, ','), name);
        append_treeobj(blob, entry.object);
    }
    blob += before == '{' ? "{}" : "}";
    blob += R"(,"type":"dir","ver":1})";
    std::string& ref = root.object.refs[0];
    SLUICE_TRY(ref, cache.store_directory(std::move(blob), ref));
    root.dir->changed = false;
    return {};
}

}  // namespace sluice::kvs_tree
