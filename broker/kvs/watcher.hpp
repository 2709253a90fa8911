// One watch of a key (kvs-watch.lookup): what its client has seen, and what it is to be sent when
// the namespace has changed. Pure.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "broker/kvs/namespaces.hpp"

namespace sluice {

class KvsWatcher {
  public:
    KvsWatcher(std::string name_space, std::string key, std::int64_t flags)
        : namespace_(std::move(name_space)), key_(normalize_key(key)), flags_(flags) {}

    const std::string& name_space() const { return namespace_; }

    /// Replies to send, in order, and how the stream ends, if it does (ENODATA: normally).
    struct Step {
        std::vector<TreeObject> replies;
        bool sentinel = false;  // an empty reply after them
        std::optional<Error> end;
        bool missing = false;   // blobs are: nothing happened; look() once they are here
    };
    /// The first look, or one that was put off.
    Step look(KvsNamespaces& kvs, const Credential& user, KvsBlobs& blobs);
    /// After a change of its namespace.
    Step update(const KvsNamespaces::Change& change, KvsNamespaces& kvs, const Credential& user,
                KvsBlobs& blobs);

  private:
    bool has(std::int64_t flag) const { return flags_ & flag; }
    Step on_failure(const Error& error, bool first);
    Step on_value(TreeObject object, bool first);
    Step on_stored(const TreeObject& object, bool first, KvsBlobs& blobs);
    Error not_appendable(const TreeObject& object) const;

    std::string namespace_, key_;
    std::int64_t flags_;
    bool begun_ = false;              // the namespace was there
    bool seen_ = false;               // and the key
    std::optional<TreeObject> last_;  // watch_full, watch_uniq: the last reply
    std::vector<std::string> sent_;   // watch_append, stream: blobrefs sent so far
};

}  // namespace sluice
