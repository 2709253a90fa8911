// What the `flux kvs` commands share: namespaces, lookups, commits, watches.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/rfc/treeobj.hpp"
#include "base/rpc/handle.hpp"
#include "cmd/cli.hpp"
#include "cmd/commands.hpp"

namespace sluice {

/// The namespace to use: as given, else FLUX_KVS_NAMESPACE, else "primary".
std::string kvs_namespace(const std::optional<std::string>& given);

struct KvsQuery {
    std::string name_space, key;
    std::int64_t flags = 0;
    std::string at;  // a tree object in JSON to look under; empty: the current root
};
/// Errors: as the service sent; EINVAL for a bad `at`.
Result<TreeObject> kvs_lookup(Handle& flux, const KvsQuery& query);
/// The query as a payload. Errors: EINVAL for a bad `at`.
Result<JsonObject> kvs_payload(const KvsQuery& query);

struct KvsChange {
    std::string key;
    std::optional<TreeObject> object;  // nullopt: unlink
    std::int64_t flags = 0;
};
struct KvsVersion {
    std::string rootref;
    std::int64_t rootseq = 0;
};
/// One atomic commit. Errors: as the service sent.
Result<KvsVersion> kvs_commit(Handle& flux, const std::string& name_space,
                              const std::vector<KvsChange>& changes, std::int64_t flags = 0);

enum class KvsWatchStep { go_on, stop };
/// Follows a key by kvs-watch.lookup until `on_value` says stop or the stream ends.
/// Errors: as the service sent, but not ENODATA; ETIMEDOUT after `seconds`.
Result<void> kvs_watch(Handle& flux, const KvsQuery& query, std::optional<double> seconds,
                       const std::function<KvsWatchStep(const TreeObject&)>& on_value);

/// How commits show their result: -O, -b, -s.
struct KvsCommitOutput {
    bool treeobj = false, blobref = false, sequence = false;
    void declare(Cli& cli);
    void print(const KvsVersion& version) const;
};

/// Prints "flux-kvs: text"; 1.
int kvs_error(const std::string& text);
/// "flux-kvs: WHAT: errno's text"; 1.
int kvs_error(const std::string& what, const Error& error);

int cmd_kvs_copy(int argc, char** argv);
int cmd_kvs_dir(int argc, char** argv);
int cmd_kvs_eventlog(int argc, char** argv);
int cmd_kvs_get(int argc, char** argv);
int cmd_kvs_getroot(int argc, char** argv);
int cmd_kvs_link(int argc, char** argv);
int cmd_kvs_ls(int argc, char** argv);
int cmd_kvs_mkdir(int argc, char** argv);
int cmd_kvs_move(int argc, char** argv);
int cmd_kvs_namespace(int argc, char** argv);
int cmd_kvs_put(int argc, char** argv);
int cmd_kvs_readlink(int argc, char** argv);
int cmd_kvs_sync(int argc, char** argv);
int cmd_kvs_unlink(int argc, char** argv);
int cmd_kvs_version(int argc, char** argv);
int cmd_kvs_wait(int argc, char** argv);

}  // namespace sluice
