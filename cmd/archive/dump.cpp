// flux dump: the values and links of a KVS root in an archive (flux-dump(1)).
#include <fmt/format.h>

#include <ctime>
#include <deque>

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

using Kind = TreeObject::Kind;

struct DumpOptions {
    ArchiveProgress::Options progress;
    bool checkpoint = false, no_cache = false, ignore_failed_read = false;
    std::int64_t requests_max = 2;
    std::string file;
};

/// Walks the tree with a bounded number of loads under way; the last found is read first, so that
/// what waits stays short.
class Dump {
  public:
    Dump(Handle& flux, ArchiveWriter& archive, const DumpOptions& options, std::time_t mtime)
        : flux_(flux),
          archive_(archive),
          options_(options),
          mtime_(mtime),
          progress_(flux, options.progress, "flux-dump", "archived") {}

    Result<void> run(const std::string& rootref) {
        waiting_.push_back({"", TreeObject::make_dirref(rootref)});
        start();
        const bool connected =
            flux_.run_until([&] { return error_ || (waiting_.empty() && loading_ == 0); });
        if (error_) return *error_;
        if (!connected) return fail(ECONNRESET, "connection to the broker lost");
        progress_.end();
        return {};
    }

  private:
    struct Item {
        std::string path;
        TreeObject object;
    };
    struct Value {
        std::string path;
        std::vector<std::string> blobs;
        std::size_t left = 0;
        bool lost = false;
    };

    void start() {
        while (!error_ && !waiting_.empty() && loading_ < options_.requests_max) {
            Item item = std::move(waiting_.back());
            waiting_.pop_back();
            if (item.object.kind == Kind::dirref) load_directory(std::move(item));
            else if (item.object.kind == Kind::valref) load_value(item);
            else write(item);
        }
    }

    void load(const std::string& ref, std::function<void(Result<std::string>)> then) {
        const auto hash = parse_blobref(ref);
        if (!hash) return then(hash.error());
        Message request =
            Message::request(options_.no_cache ? "content-backing.load" : "content.load");
        request.set_bytes(*hash);
        ++loading_;
        flux_.send(std::move(request), [this, then = std::move(then)](const Reply& reply) {
            --loading_;
            if (reply.ok()) then(std::string{reply.message.bytes()});
            else then(reply.error());
            start();
        });
    }

    void load_directory(Item item) {
        const std::string ref = item.object.refs[0];
        load(ref, [this, path = item.path](const Result<std::string>& blob) {
            if (!blob)
                return read_error(fmt::format("{}: could not load content: {}", path,
                                              errno_text(blob.error())));
            const auto json = parse_json_object(*blob);
            auto dir = json ? decode_treeobj(*json) : Result<TreeObject>{json.error()};
            if (!dir || dir->kind != Kind::dir) {
                error_ = fail(EINVAL, "{}: could not decode tree object", path);
                return;
            }
            add_entries(path, *std::move(dir));
        });
    }

    void add_entries(const std::string& path, TreeObject dir) {
        for (auto it = dir.entries.rbegin(); it != dir.entries.rend(); ++it) {
            std::string below = path.empty() ? it->first : path + "/" + it->first;
            if (it->second.kind == Kind::dir) add_entries(below, std::move(it->second));
            else waiting_.push_back({std::move(below), std::move(it->second)});
        }
    }

    void load_value(const Item& item) {
        auto value = std::make_shared<Value>();
        value->path = item.path;
        value->left = item.object.refs.size();
        value->blobs.resize(value->left);
        for (std::size_t i = 0; i < item.object.refs.size(); ++i)
            load(item.object.refs[i], [this, value, i](Result<std::string> blob) {
                if (blob) value->blobs[i] = *std::move(blob);
                else if (!std::exchange(value->lost, true))
                    read_error(fmt::format("{}: missing blobref {}: {}", value->path, i,
                                           errno_text(blob.error())));
                if (--value->left == 0 && !value->lost) write(*value);
            });
    }

    void read_error(const std::string& text) {
        if (options_.ignore_failed_read) fmt::print(stderr, "{}\n", text);
        else error_ = Error{EIO, text};
    }

    void write(const Value& value) {
        add({.path = value.path, .mtime = mtime_}, {value.blobs.begin(), value.blobs.end()});
    }

    void write(const Item& item) {
        const TreeObject& object = item.object;
        if (object.kind != Kind::symlink)
            return add({.path = item.path, .mtime = mtime_}, {object.value});
        const std::string target = object.target_namespace.empty()
                                       ? object.target
                                       : object.target_namespace + "::" + object.target;
        add({.kind = ArchiveEntry::Kind::symlink,
             .path = item.path,
             .target = target,
             .mtime = mtime_},
            {});
    }

    void add(const ArchiveEntry& entry, const std::vector<std::string_view>& pieces) {
        if (const auto added = archive_.add(entry, pieces); !added) error_ = added.error();
        else progress_.key(entry.path);
    }

    Handle& flux_;
    ArchiveWriter& archive_;
    const DumpOptions& options_;
    std::time_t mtime_;
    ArchiveProgress progress_;
    std::deque<Item> waiting_;
    std::int64_t loading_ = 0;
    std::optional<Error> error_;
};

struct Root {
    std::string ref;
    std::time_t time = 0;
};

Result<Root> find_root(Handle& flux, const DumpOptions& options) {
    if (!options.checkpoint) {
        const auto reply = flux.call("kvs.getroot", {{"namespace", "primary"}, {"flags", 0}});
        if (!reply)
            return fail(EIO, "error fetching current KVS root: {}", reply.error().text());
        JsonReader in{*reply};
        return Root{in.string("rootref"), std::time(nullptr)};
    }
    const auto reply = flux.call(options.no_cache ? "content-backing.checkpoint-get"
                                                  : "content.checkpoint-get");
    if (!reply) return fail(EIO, "error fetching checkpoints: {}", reply.error().text());
    JsonReader in{*reply};
    const JsonArray& checkpoints = in.array("value");
    if (!in || checkpoints.empty() || !checkpoints[0].is_object())
        return fail(EIO, "error fetching checkpoints: {}", Error{EPROTO}.text());
    JsonReader latest{checkpoints[0].as_object()};
    Root root{latest.string("rootref"), static_cast<std::time_t>(latest.number_or("timestamp", 0))};
    if (!latest) return fail(EIO, "error fetching checkpoints: {}", latest.error().text());
    return root;
}

Result<void> dump(Handle& flux, const DumpOptions& options) {
    SLUICE_TRY(ArchiveWriter archive, ArchiveWriter::open(options.file));
    SLUICE_TRY(const Root root, find_root(flux, options));
    Dump walk{flux, archive, options, root.time};
    SLUICE_CHECK(walk.run(root.ref));
    flux.flush();
    return archive.close();
}

}  // namespace

int run_dump(int argc, char** argv) {
    DumpOptions options;
    Cli cli("flux-dump", CliStyle::c_tool, "[OPTIONS] OUTFILE",
            "Dump KVS snapshot to a portable archive format");
    cli.flag("-v,--verbose", options.progress.verbose, "List keys on stderr as they are archived");
    cli.flag("-q,--quiet", options.progress.quiet, "Don't show periodic progress updates");
    cli.flag("--checkpoint", options.checkpoint, "Dump from checkpoint");
    cli.flag("--no-cache", options.no_cache, "Bypass the broker content cache");
    cli.flag("--ignore-failed-read", options.ignore_failed_read,
             "Treat content load errors as non-fatal");
    cli.flag("--sd-notify", options.progress.sd_notify,
             "Send status updates to systemd via flux-broker(1)");
    cli.option("--maxreqs=N", integer_into(options.requests_max),
               "Increase number of concurrent requests (default 2)");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() != 1) return cli.usage_error("give one OUTFILE");
    if (options.requests_max < 1) return cli.error("invalid value for maxreqs");
    options.file = cli.words()[0];
    auto flux = open_builtin();
    if (!flux) return 1;
    const auto done = dump(*flux, options);
    return done ? 0 : cli.error(done.error().text());
}

}  // namespace sluice
