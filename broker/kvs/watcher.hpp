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
    };
    /// The first look.
    Step start(KvsNamespaces& kvs, const Credential& user);
    /// After a commit that touched `keys`, or a creation or removal (no keys).
    Step update(KvsNamespaces& kvs, const Credential& user, const std::set<std::string>& keys);

  private:
    bool has(std::int64_t flag) const { return flags_ & flag; }
    Result<TreeObject> look(KvsNamespaces& kvs, const Credential& user, std::int64_t flags) const;
    Step fail_or_wait(const Error& error);
    Step next_blobs(KvsNamespaces& kvs, const Credential& user);
    Step next_value(KvsNamespaces& kvs, const Credential& user);

    std::string namespace_, key_;
    std::int64_t flags_;
    bool seen_ = false;
    std::optional<TreeObject> last_;  // the last reply
    std::vector<std::string> blobs_;  // watch_append: blobrefs sent so far
};

}  // namespace sluice
