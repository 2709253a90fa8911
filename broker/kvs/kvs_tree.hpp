// Reading and changing KVS trees (RFC 11) that live as blobs in the content cache. A root is a
// blobref; changing a tree makes a new root and leaves the old one readable. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/rfc/treeobj.hpp"
#include "broker/content/content_cache.hpp"

namespace sluice {

/// One operation of a commit: `object` at `key`, or nothing there when it is nullopt.
struct KvsOp {
    std::string key;
    std::int64_t flags = 0;
    std::optional<TreeObject> object;
};
/// Errors: EPROTO.
Result<std::vector<KvsOp>> decode_ops(const JsonArray& ops);

class KvsTree {
  public:
    /// Root of another namespace, for links that lead there. Errors: ENOTSUP, EPERM.
    using RootOf = std::function<Result<std::string>(std::string_view name)>;
    explicit KvsTree(ContentCache& content) : content_(content) {}

    /// Blobref of an empty tree.
    std::string empty_root();
    /// What is at `key` under `root`: with treeobj as stored; else a val with all its bytes, a dir
    /// (readdir) or a symlink (readlink).
    /// Errors: ENOENT, EISDIR, ENOTDIR, EINVAL no link, ELOOP, ENOTSUP.
    Result<TreeObject> lookup(const std::string& root, std::string_view key, std::int64_t flags,
                              const RootOf& root_of) const;
    /// The root after `ops`, all or nothing. Errors: EINVAL a change of the root itself, EISDIR,
    /// ELOOP, ENOENT a blob that is not there.
    Result<std::string> commit(const std::string& root, const std::vector<KvsOp>& ops);
    /// Bytes of a val or valref. Errors: ENOENT a missing blob, EINVAL another kind.
    Result<std::string> bytes(const TreeObject& object) const;
    const std::string& algorithm() const { return content_.algorithm(); }
    /// Directory behind a dir or dirref. Errors: ENOTDIR, ENOENT, EPROTO.
    Result<TreeObject> directory(const TreeObject& object) const;

  private:
    struct Walk;
    Result<TreeObject> walk(Walk& walk) const;
    Result<void> apply(TreeObject& root, const KvsOp& op);
    Result<void> put(TreeObject& dir, const std::string& name, const KvsOp& op);
    Result<void> append(TreeObject& entry, const TreeObject& value);
    Result<void> load_in_place(TreeObject& object) const;
    Result<std::string> store_dir(TreeObject& dir);

    ContentCache& content_;
};

}  // namespace sluice
