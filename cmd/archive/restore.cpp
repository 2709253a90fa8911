// flux restore: an archive becomes a tree in the content store, named by a checkpoint or by a key
// (flux-restore(1)). Hashes are made here, so that blobs are sent without waiting for answers.
#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <ctime>

#include "base/blobref.hpp"
#include "base/rfc/treeobj.hpp"
#include "cmd/archive/archive_file.hpp"
#include "cmd/archive/commands.hpp"
#include "cmd/archive/progress.hpp"
#include "cmd/cli.hpp"
#include "cmd/client.hpp"
#include "cmd/instance.hpp"

namespace sluice {
namespace {

constexpr std::size_t inline_bytes_max = 71;  // longer values become blobs

struct RestoreOptions {
    ArchiveProgress::Options progress;
    bool checkpoint = false, no_cache = false;
    std::string key;  // empty: none
    std::int64_t size_limit = 0, requests_max = 256;
    std::string file;
};

/// Sends blobs with at most so many answers outstanding.
class BlobSender {
  public:
    BlobSender(Handle& flux, const RestoreOptions& options, std::string algorithm)
        : flux_(flux), options_(options), algorithm_(std::move(algorithm)) {}

    /// The blobref of `blob`, which is on its way. Errors: of this or an earlier one.
    Result<std::string> send(std::string blob) {
        SLUICE_TRY(const std::string hash, hash_blob(algorithm_, blob));
        const bool connected = flux_.run_until(
            [&] { return error_ || outstanding_ < options_.requests_max; });
        if (error_) return *error_;
        if (!connected) return fail(ECONNRESET, "connection to the broker lost");
        Message request =
            Message::request(options_.no_cache ? "content-backing.store" : "content.store");
        request.set_bytes(std::move(blob));
        ++outstanding_;
        flux_.send(std::move(request), [this](const Reply& reply) {
            --outstanding_;
            if (!reply.ok()) error_ = reply.error();
        });
        return blobref_of(algorithm_, hash);
    }
    /// Waits for all answers.
    Result<void> finish() {
        const bool connected = flux_.run_until([&] { return error_ || outstanding_ == 0; });
        if (error_) return *error_;
        if (!connected) return fail(ECONNRESET, "connection to the broker lost");
        return {};
    }

  private:
    Handle& flux_;
    const RestoreOptions& options_;
    std::string algorithm_;
    std::int64_t outstanding_ = 0;
    std::optional<Error> error_;
};

Result<void> insert(TreeObject& root, const std::string& path, TreeObject object) {
    TreeObject* dir = &root;
    std::string_view rest = path;
    for (;;) {
        const std::size_t slash = rest.find('/');
        const std::string name{rest.substr(0, slash)};
        if (slash == rest.npos) {
            if (name.empty()) return fail(EINVAL, "error inserting {} into root directory", path);
            dir->entries.insert_or_assign(name, std::move(object));
            return {};
        }
        rest.remove_prefix(slash + 1);
        if (name.empty() || name == ".") continue;
        dir = &dir->entries.try_emplace(name, TreeObject::make_dir()).first->second;
        if (dir->kind != TreeObject::Kind::dir)
            return fail(ENOTDIR, "{} in {} is not a directory", name, path);
    }
}

/// The link "namespace::target" or "target".
TreeObject link_to(const std::string& text) {
    TreeObject link{.kind = TreeObject::Kind::symlink, .target = text};
    if (const std::size_t colons = text.find("::"); colons != text.npos) {
        link.target_namespace = text.substr(0, colons);
        link.target = text.substr(colons + 2);
    }
    return link;
}

class Restore {
  public:
    Restore(Handle& flux, const RestoreOptions& options, std::string algorithm)
        : options_(options),
          sender_(flux, options, std::move(algorithm)),
          progress_(flux, options.progress, "flux-restore", "restored") {
        progress_.count_blobs = true;
    }

    /// The blobref of the restored tree.
    Result<std::string> run(ArchiveReader& archive) {
        TreeObject root = TreeObject::make_dir();
        for (;;) {
            SLUICE_TRY(const std::optional<ArchiveEntry> entry, archive.next());
            if (!entry) break;
            newest_ = std::max(newest_, entry->mtime);
            SLUICE_CHECK(add(archive, *entry, root));
        }
        SLUICE_TRY(std::string ref, store_directory(root));
        SLUICE_CHECK(sender_.finish());
        progress_.end();
        return ref;
    }
    std::time_t newest() const { return newest_; }

  private:
    Result<void> add(ArchiveReader& archive, const ArchiveEntry& entry, TreeObject& root) {
        if (entry.kind == ArchiveEntry::Kind::symlink) {
            SLUICE_CHECK(insert(root, entry.path, link_to(entry.target)));
            progress_.key(entry.path + " -> " + entry.target);
            return {};
        }
        if (entry.kind != ArchiveEntry::Kind::file) return {};
        const auto limit = static_cast<std::uint64_t>(options_.size_limit);
        if (limit > 0 && entry.bytes > limit) {
            const bool line = !options_.progress.quiet && !options_.progress.verbose;
            fmt::print(stderr, "{}{} size {} exceeds {} limit, skipping\n", line ? "\r" : "",
                       entry.path, entry.bytes, limit);
            return {};
        }
        SLUICE_TRY(std::string data, archive.read(entry));
        TreeObject object = TreeObject::make_val("");
        if (data.size() <= inline_bytes_max) {
            object.value = std::move(data);
        } else {
            auto ref = sender_.send(std::move(data));
            if (!ref)
                return fail(EIO, "error storing blob for {}: {}", entry.path, ref.error().text());
            object = TreeObject::make_valref({*std::move(ref)});
            progress_.blob();
        }
        SLUICE_CHECK(insert(root, entry.path, std::move(object)));
        progress_.key(entry.path);
        return {};
    }

    Result<std::string> store_directory(TreeObject& dir) {
        for (auto& [name, entry] : dir.entries) {
            if (entry.kind != TreeObject::Kind::dir) continue;
            SLUICE_TRY(std::string ref, store_directory(entry));
            entry = TreeObject::make_dirref(std::move(ref));
        }
        progress_.blob();
        auto ref = sender_.send(dir_blob(dir));
        if (!ref) return fail(EIO, "error storing dirref blob: {}", ref.error().text());
        return ref;
    }

    const RestoreOptions& options_;
    BlobSender sender_;
    ArchiveProgress progress_;
    std::time_t newest_ = 0;
};

/// As much of a blobref as people look at.
std::string_view short_ref(std::string_view blobref) {
    return blobref.substr(0, blobref.find('-') + 9);
}

void tell(const RestoreOptions& options, const std::string& text) {
    if (!options.progress.quiet) fmt::print(stderr, "flux-restore: {}\n", text);
}

bool kvs_is_running(Handle& flux) {
    const auto root = flux.call("kvs.getroot", {{"namespace", "primary"}, {"flags", 0}});
    return root || root.error().errnum() != ENOSYS;
}

Result<void> put_checkpoint(Handle& flux, const RestoreOptions& options, const std::string& ref,
                            std::time_t time) {
    tell(options, fmt::format("writing snapshot {} to checkpoint for next KVS start",
                              short_ref(ref)));
    const JsonObject value{{"version", 1},
                           {"rootref", ref},
                           {"sequence", 0},
                           {"timestamp", static_cast<double>(time)}};
    const auto put = flux.call(
        options.no_cache ? "content-backing.checkpoint-put" : "content.checkpoint-put",
        {{"value", value}});
    if (!put) return fail(EIO, "error updating checkpoint: {}", put.error().text());
    return {};
}

Result<void> put_key(Handle& flux, const RestoreOptions& options, const std::string& ref) {
    tell(options,
         fmt::format("writing snapshot {} to KVS key '{}'", short_ref(ref), options.key));
    const JsonObject op{{"key", options.key},
                        {"flags", 0},
                        {"dirent", encode_treeobj(TreeObject::make_dirref(ref))}};
    const auto put = flux.call("kvs.commit",
                               {{"namespace", "primary"}, {"flags", 0}, {"ops", JsonArray{op}}});
    if (!put) return fail(EIO, "error updating {}: {}", options.key, put.error().text());
    return {};
}

Result<void> restore(Handle& flux, const RestoreOptions& options) {
    SLUICE_TRY(ArchiveReader archive, ArchiveReader::open(options.file));
    if (!options.checkpoint && options.key.empty())
        return fail(EINVAL, "Please specify a restore target with --checkpoint or --key");
    if (options.checkpoint && kvs_is_running(flux))
        return fail(EBUSY, "please unload kvs module before using --checkpoint");
    SLUICE_TRY(std::string algorithm, flux.attr("content.hash"));
    Restore tree{flux, options, std::move(algorithm)};
    SLUICE_TRY(const std::string ref, tree.run(archive));
    if (options.checkpoint) SLUICE_CHECK(put_checkpoint(flux, options, ref, tree.newest()));
    else SLUICE_CHECK(put_key(flux, options, ref));
    if (!options.no_cache) {
        const auto flushed = flux.call("content.flush", {}, {.nodeid = 0});
        if (!flushed)
            fmt::print(stderr, "flux-restore: error flushing content cache: {}\n",
                       flushed.error().text());
    }
    return {};
}

/// "100M": bytes, with k, K, M or G for powers of 1024.
Result<std::int64_t> parse_limit(const std::string& text) {
    char* end = nullptr;
    double value = std::strtod(text.c_str(), &end);
    const std::string_view suffix = end;
    if (suffix == "k" || suffix == "K") value = std::ldexp(value, 10);
    else if (suffix == "M") value = std::ldexp(value, 20);
    else if (suffix == "G") value = std::ldexp(value, 30);
    else if (!suffix.empty()) value = -1;
    if (end == text.c_str() || !(value >= 0 && value <= 2147483647.0))
        return fail(EINVAL, "invalid size '{}'; give a number with k, M or G", text);
    return static_cast<std::int64_t>(value);
}

}  // namespace

int run_restore(int argc, char** argv) {
    RestoreOptions options;
    Cli cli("flux-restore", CliStyle::c_tool, "[OPTIONS] INFILE",
            "Restore KVS snapshot from a portable archive format");
    cli.flag("-v,--verbose", options.progress.verbose, "List keys on stderr as they are restored");
    cli.flag("-q,--quiet", options.progress.quiet, "Don't show periodic progress updates");
    cli.flag("--checkpoint", options.checkpoint, "Restore to checkpoint");
    cli.option("--key=KEY", options.key, "Restore to KVS key");
    cli.flag("--no-cache", options.no_cache, "Bypass the broker content cache");
    std::string size_limit = "0";
    cli.option("--size-limit=SIZE", size_limit, "Do not restore blobs greater than SIZE bytes");
    cli.option("--maxreqs=N", integer_into(options.requests_max),
               "Max concurrent content store requests (default 256)");
    cli.flag("--sd-notify", options.progress.sd_notify,
             "Send status updates to systemd via flux-broker(1)");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() != 1) return cli.usage_error("give one INFILE");
    const auto limit = parse_limit(size_limit);
    if (!limit) return cli.error(limit.error().text());
    options.size_limit = *limit;
    if (options.requests_max < 1) return cli.error("invalid value for maxreqs");
    options.file = cli.words()[0];
    auto flux = open_builtin();
    if (!flux) return 1;
    const auto done = restore(*flux, options);
    return done ? 0 : cli.error(done.error().text());
}

}  // namespace sluice
