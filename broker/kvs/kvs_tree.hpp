// Reading and changing KVS trees (RFC 11). The current tree of a namespace is in memory as far as
// it was used; a commit changes it in place and makes new blobs of the changed directories, so that
// the roots given out before stay readable. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/rfc/treeobj.hpp"
#include "broker/kvs/kvs_blobs.hpp"
#include "broker/kvs/kvs_dir.hpp"

namespace sluice {

/// One operation of a commit: `object` at `key`, or nothing there when it is nullopt.
struct KvsOp {
    std::string key;
    std::int64_t flags = 0;
    std::optional<TreeObject> object;
};
/// Errors: EPROTO.
Result<std::vector<KvsOp>> decode_ops(const JsonArray& ops);
/// Key with single dots and none at the ends, as keys are compared; "." for the root.
std::string normalize_key(std::string_view key);

namespace kvs_tree {

/// Root of another namespace, for links that lead there. Errors: ENOTSUP, EPERM.
using RootOf = std::function<Result<KvsEntry*>(std::string_view name)>;

/// A root whose directory is read when it is needed.
KvsEntry root_at(std::string blobref);
/// Blobref of an empty tree, stored in `cache`.
std::string empty_root(ContentCache& cache);

/// What is at `key` under `root`: with treeobj as stored; else a val with all its bytes, a dir
/// (readdir) or a symlink (readlink). Loads directories into the tree.
/// Errors: ENOENT, EISDIR, ENOTDIR, EINVAL no link, ELOOP, ENOTSUP; EAGAIN blobs are missing.
Result<TreeObject> lookup(KvsEntry& root, std::string_view key, std::int64_t flags,
                          const RootOf& root_of, KvsBlobs& blobs);
/// Bytes of a val or valref. Errors: EINVAL another kind, EAGAIN, ENOENT a blob that is lost.
Result<std::string> bytes(const TreeObject& object, KvsBlobs& blobs);

/// Applies `ops`, all or nothing; the root's reference is out of date then.
/// Errors: EINVAL a change of the root itself, EISDIR or EOPNOTSUPP or EPROTO a wrong append,
/// ELOOP; EAGAIN blobs are missing.
Result<void> apply(KvsEntry& root, const std::vector<KvsOp>& ops, KvsBlobs& blobs);
/// Stores the changed directories; the root's reference is right again.
/// Errors: EFBIG a directory that is too large.
Result<void> settle(KvsEntry& root, ContentCache& cache);

/// Keeps the directory `blobref` and those below it from being dropped unwritten.
void pin_tree(const std::string& blobref, ContentCache& cache);

/// The directory of a dirref, read if need be. Errors: ENOTDIR, EAGAIN, ENOENT, EPROTO.
Result<KvsDir*> open(KvsEntry& entry, KvsBlobs& blobs);
/// Entries in memory below `root`.
std::size_t count_loaded(const KvsEntry& root);

}  // namespace kvs_tree
}  // namespace sluice
