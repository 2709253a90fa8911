// flux fsck: whether all that a root of the KVS refers to is in the content store (flux-fsck(1)).
// A repair is a commit like any other: the reference has to be without its KVS for that, we do not.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>

#include "base/blobref.hpp"
#include "base/rfc/treeobj.hpp"
#include "cmd/cli.hpp"
#include "cmd/dump.hpp"
#include "cmd/instance.hpp"
#include "cmd/kvs/client.hpp"

namespace sluice {
namespace {

using Kind = TreeObject::Kind;

struct FsckOptions {
    bool verbose = false, quiet = false, repair = false, job_aware = false;
    std::string rootref;
};

class Fsck {
  public:
    Fsck(Handle& flux, const FsckOptions& options) : flux_(flux), options_(options) {}

    /// What a repair changes: damaged values go to lost+found with what is left of them, damaged
    /// directories are unlinked.
    struct Repairs {
        std::vector<KvsChange> changes;
        std::size_t values = 0, directories = 0;
    };
    const Repairs& repairs() const { return repairs_; }

    std::size_t run(const std::string& rootref) {
        const auto root = load(rootref);
        if (root) check_entries("", *root);
        else error(fmt::format("cannot load root tree object: {}", errno_text(root.error())));
        if (options_.verbose || errors_ > 0) tell(fmt::format("Total errors: {}", errors_));
        return errors_;
    }

  private:
    /// Plain on a terminal, in the tool's name elsewhere.
    void tell(const std::string& text) const {
        fmt::print(stderr, "{}{}\n", terminal_ ? "" : "flux-fsck: ", text);
    }
    void error(const std::string& text) {
        tell(text);
        ++errors_;
    }

    Result<std::string> call(const char* topic, const std::string& ref) {
        SLUICE_TRY(std::string hash, parse_blobref(ref));
        Message request = Message::request(topic);
        request.set_bytes(std::move(hash));
        SLUICE_TRY(const Message reply, flux_.call(std::move(request)));
        return std::string{reply.bytes()};
    }

    /// Errors: of the load; EPROTO when it is no directory.
    Result<TreeObject> load(const std::string& ref) {
        SLUICE_TRY(const std::string blob, call("content-backing.load", ref));
        const auto json = parse_json_object(blob);
        auto dir = json ? decode_treeobj(*json) : Result<TreeObject>{Error{EPROTO}};
        if (!dir || dir->kind != Kind::dir) return Error{EPROTO};
        return dir;
    }

    void check_entries(const std::string& path, const TreeObject& dir) {
        for (const auto& [name, entry] : dir.entries)
            check(path.empty() ? name : path + "." + name, entry);
    }

    void check(const std::string& path, const TreeObject& object) {
        if (options_.verbose && !options_.quiet) tell(path);
        if (object.kind == Kind::dir) return check_entries(path, object);
        if (object.kind == Kind::valref) return check_value(path, object);
        if (object.kind != Kind::dirref) return;
        const auto dir = load(object.refs[0]);
        if (dir) return check_entries(path, *dir);
        const int errnum = dir.error().errnum();
        if (errnum == EPROTO) error(path + ": could not decode tree object");
        else if (errnum == ENOENT) missing_directory(path);
        else
            error(fmt::format("{}: error retrieving dirref blobref: {}", path,
                              errno_text(dir.error())));
    }

    void missing_directory(const std::string& path) {
        error(path + ": missing dirref blobref");
        if (!options_.repair) return;
        if (!options_.quiet) tell(path + " unlinked due to missing blobref");
        repairs_.changes.push_back({.key = path, .object = std::nullopt});
        ++repairs_.directories;
    }

    void move_to_lost_found(const std::string& path, std::vector<std::string> refs) {
        if (!options_.quiet) tell(path + " repaired and moved to lost+found");
        TreeObject rest = refs.empty() ? TreeObject::make_val("")
                                       : TreeObject::make_valref(std::move(refs));
        repairs_.changes.push_back({.key = "lost+found." + path, .object = std::move(rest)});
        repairs_.changes.push_back({.key = path, .object = std::nullopt});
        ++repairs_.values;
    }

    void check_value(const std::string& path, const TreeObject& object) {
        std::optional<Error> last;
        std::vector<std::string> present;
        bool only_missing = true;
        for (std::size_t i = 0; i < object.refs.size(); ++i) {
            const auto found = call("content-backing.validate", object.refs[i]);
            if (found) {
                present.push_back(object.refs[i]);
                continue;
            }
            last = found.error();
            only_missing = only_missing && last->errnum() == ENOENT;
            if (!options_.verbose) continue;
            if (last->errnum() == ENOENT)
                tell(fmt::format("{}: missing blobref index={}", path, i));
            else
                tell(fmt::format("{}: error retrieving blobref index={}: {}", path, i,
                                 errno_text(*last)));
        }
        if (!last) return;
        ++errors_;
        if (options_.verbose) {
            // each was told above
        } else if (last->errnum() == ENOENT) {
            tell(path + ": missing blobref(s)");
        } else {
            tell(fmt::format("{}: error retrieving blobref(s): {}", path, errno_text(*last)));
        }
        if (options_.repair && only_missing) move_to_lost_found(path, std::move(present));
    }

    Handle& flux_;
    const FsckOptions& options_;
    const bool terminal_ = ::isatty(STDERR_FILENO);
    std::size_t errors_ = 0;
    Repairs repairs_;
};

/// The tree as it is now, all of it in the store.
Result<std::string> live_root(Handle& flux) {
    SLUICE_TRY(const JsonObject root,
               flux.call("kvs.getroot", {{"namespace", "primary"}, {"flags", 0}}));
    JsonReader in{root};
    std::string rootref = in.string("rootref");
    if (!in) return in.error();
    SLUICE_CHECK(flux.call("content.flush"));
    fmt::print("Checking integrity of the current root\n");
    std::fflush(stdout);
    return rootref;
}

/// Commits the repairs and makes a checkpoint of the result.
Result<void> repair(Handle& flux, const Fsck::Repairs& repairs, bool verbose) {
    constexpr std::int64_t sync = 4;
    if (!repairs.changes.empty())
        SLUICE_CHECK(kvs_commit(flux, "primary", repairs.changes, sync));
    if (repairs.values > 0 || verbose)
        fmt::print(stderr, "flux-fsck: Total repairs: {}\n", repairs.values);
    if (repairs.directories > 0 || verbose)
        fmt::print(stderr, "flux-fsck: Total unlinked directories: {}\n", repairs.directories);
    return {};
}

/// The root of the latest checkpoint; tells of what time it is.
Result<std::string> checkpoint_root(Handle& flux) {
    Message request = Message::request("content-backing.checkpoint-get");
    const auto reply = flux.call(std::move(request));
    if (!reply) return fail(EIO, "error fetching checkpoints: {}", errno_text(reply.error()));
    SLUICE_TRY(const JsonObject payload, parse_json_object(reply->text()));
    JsonReader in{payload};
    const JsonArray& checkpoints = in.array("value");
    if (!in || checkpoints.empty() || !checkpoints[0].is_object())
        return fail(EIO, "error fetching checkpoints: {}", Error{EPROTO}.text());
    JsonReader latest{checkpoints[0].as_object()};
    std::string rootref = latest.string("rootref");
    const auto seconds = static_cast<std::time_t>(latest.number_or("timestamp", 0));
    if (!latest) return fail(EIO, "error fetching checkpoints: {}", latest.error().text());
    std::tm parts{};
    ::localtime_r(&seconds, &parts);
    char text[32] = "";
    std::strftime(text, sizeof text, "%Y-%m-%dT%T", &parts);
    fmt::print("Checking integrity of checkpoint from {}\n", text);
    std::fflush(stdout);
    return rootref;
}

}  // namespace

int cmd_fsck(int argc, char** argv) {
    FsckOptions options;
    Cli cli("flux-fsck", CliStyle::c_tool, "[OPTIONS]", "check integrity of content store data");
    cli.flag("-v,--verbose", options.verbose, "List keys as they are being validated");
    cli.flag("-q,--quiet", options.quiet, "Reduce output to essential information.");
    cli.option("-r,--rootref=BLOBREF", options.rootref, "Check integrity starting with BLOBREF");
    cli.flag("-R,--repair", options.repair, "Repair recoverable keys and place in lost+found");
    cli.flag("-j,--job-aware", options.job_aware,
             "Move all job data to lost+found if errors found");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (!cli.words().empty()) return cli.usage_error("no words are expected");
    auto flux = open_builtin();
    if (!flux) return 1;
    if (options.repair && !options.rootref.empty())
        return cli.error("--repair changes the current root: leave out --rootref");
    if (!options.rootref.empty() && !parse_blobref(options.rootref))
        return cli.error("invalid blobref specified");
    const auto root = !options.rootref.empty() ? Result<std::string>{options.rootref}
                      : options.repair         ? live_root(*flux)
                                               : checkpoint_root(*flux);
    if (!root) return cli.error(root.error().text());
    Fsck fsck{*flux, options};
    const std::size_t errors = fsck.run(*root);
    if (options.repair)
        if (const auto done = repair(*flux, fsck.repairs(), options.verbose); !done)
            return cli.error(done.error().text());
    return errors > 0 ? 1 : 0;
}

}  // namespace sluice
