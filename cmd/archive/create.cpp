// flux archive create, remove.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/file_tree.hpp"
#include "base/rpc/content_client.hpp"
#include "base/size.hpp"
#include "cmd/archive/archive.hpp"
#include "cmd/instance.hpp"

namespace sluice {
namespace {

struct CreateOptions {
    ArchivePlace place;
    std::string directory;
    bool overwrite = false, append = false, preserve = false, mmap = false;
    int verbose = 0;
    FileReading reading;
};

Cli::Apply size_into(std::uint64_t& to) {
    return [&to](const std::optional<std::string>& text) -> Result<void> {
        SLUICE_TRY(to, parse_size(text.value_or("")));
        return {};
    };
}

void declare(Cli& cli, CreateOptions& options) {
    options.place.declare(cli);
    cli.option("-C,--directory=DIR", options.directory, "Take the files from DIR");
    cli.flag("--overwrite", options.overwrite, "Replace an archive of this name");
    cli.flag("--append", options.append, "Add to an archive of this name");
    cli.flag("--preserve", options.preserve, "Keep the blobs over a restart");
    cli.flag("--mmap", options.mmap, "Do not copy large files (they are copied all the same)");
    cli.option(
        "-v,--verbose[=LEVEL]",
        [&](std::optional<std::string>) { return ++options.verbose, Result<void>{}; },
        "List the files");
    cli.option("--chunksize=N", size_into(options.reading.blob_bytes_max),
               "Largest blob (1M; 0: unlimited)");
    cli.option("--small-file-threshold=N", size_into(options.reading.small_bytes_max),
               "Up to this size the archive holds the file itself (1K)");
}

Result<void> check(Handle& flux, const CreateOptions& options) {
    if (options.overwrite && options.append)
        return fail(EINVAL, "--overwrite and --append cannot be used together");
    if (!options.mmap) return {};
    if (options.preserve) return fail(EINVAL, "--mmap cannot work with --preserve");
    if (options.place.no_force_primary)
        return fail(EINVAL, "--mmap cannot work with --no-force-primary");
    SLUICE_TRY(const std::uint32_t rank, flux.rank());
    if (rank != 0) return fail(EINVAL, "--mmap only works on the rank 0 broker");
    return {};
}

/// The files that are in the archive already.
Result<JsonArray> begin_archive(Handle& flux, const CreateOptions& options) {
    const auto object = kvs_lookup(flux, options.place.query());
    if (!object && object.error().errnum() != ENOENT)
        return object.error().in(options.place.key());
    if (!object || options.overwrite) return JsonArray{};
    if (!options.append)
        return fail(EEXIST, "{}: key exists; give --overwrite or --append", options.place.key());
    SLUICE_TRY(const Json old, parse_json(object->value));
    if (!old.is_array()) return fail(EPROTO, "{}: is no archive", options.place.key());
    return old.get_array();
}

class Creator {
  public:
    Creator(const CreateOptions& options, JsonArray files)
        : options_(options), files_(std::move(files)) {}

    /// A folder comes after what is in it, so that its permissions are set last.
    Result<void> add(const std::string& path) {
        SLUICE_TRY(const FileObject object, read_file_object(path, options_.reading));
        if (object.is_folder()) {
            std::vector<std::string> names;
            std::error_code error;
            for (const auto& entry : std::filesystem::directory_iterator(path, error))
                names.push_back(entry.path());
            if (error) return fail(error.value(), "{}: {}", path, error.message());
            std::ranges::sort(names);
            for (const std::string& name : names) SLUICE_CHECK(add(name));
        }
        if (options_.verbose) fmt::print("{}\n", object.path);
        for (const FileObject::Blob& blob : object.blobs) refs_.push_back(blob.ref);
        files_.emplace_back(encode_file_object(object));
        return {};
    }

    std::vector<KvsChange> changes() const {
        const ArchivePlace& place = options_.place;
        std::vector<KvsChange> changes;
        if (options_.overwrite) changes.push_back({place.blobs_key(), std::nullopt, 0});
        const auto content = TreeObject::make_val(dump_json(Json(files_)));
        changes.push_back({place.key(), content, 0});
        if (options_.preserve && !refs_.empty()) {
            const std::string key =
                fmt::format("{}.{}", place.blobs_key(), files_.size());  // another one each time
            changes.push_back({key, TreeObject::make_valref(refs_), 0});
        }
        return changes;
    }

  private:
    const CreateOptions& options_;
    JsonArray files_;
    std::vector<std::string> refs_;
};

Result<void> create(Handle& flux, CreateOptions& options, const std::vector<std::string>& paths) {
    SLUICE_CHECK(check(flux, options));
    SLUICE_TRY(const std::string algorithm, flux.attr("content.hash"));
    options.reading.store = [&](std::string bytes) {
        return store_blob(flux, algorithm, std::move(bytes));
    };
    SLUICE_TRY(JsonArray files, begin_archive(flux, options));
    SLUICE_CHECK(enter_directory(options.directory));
    Creator creator{options, std::move(files)};
    for (const std::string& path : paths) SLUICE_CHECK(creator.add(path));
    const auto done = kvs_commit(flux, options.place.name_space(), creator.changes());
    if (!done) return done.error().in("kvs commit");
    return {};
}

Result<void> remove(Handle& flux, const ArchivePlace& place, bool force) {
    const auto object = kvs_lookup(flux, place.query());
    if (!object && object.error().errnum() == ENOENT) {
        if (force) return {};
        return fail(ENOENT, "{} does not exist", place.key());
    }
    if (!object) return object.error().in(place.key());
    const auto done = kvs_commit(
        flux, place.name_space(),
        {{place.key(), std::nullopt, 0}, {place.blobs_key(), std::nullopt, 0}});
    if (!done) return done.error().in(fmt::format("unlink {}", place.key()));
    return {};
}

}  // namespace

int cmd_archive_create(int argc, char** argv) {
    CreateOptions options;
    Cli cli("flux-archive create", CliStyle::c_tool, "[OPTIONS] PATH ...",
            "Put files and folders into an archive in the KVS.");
    declare(cli, options);
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().empty()) return cli.usage_error("give at least one path");
    auto flux = open_tool("flux-archive");
    if (!flux) return 1;
    const auto done = create(*flux, options, cli.words());
    return done ? 0 : cli.error(done.error().text());
}

int cmd_archive_remove(int argc, char** argv) {
    ArchivePlace place;
    bool force = false;
    Cli cli("flux-archive remove", CliStyle::c_tool, "[OPTIONS]", "Remove an archive.");
    place.declare(cli);
    cli.flag("-f,--force", force, "An archive that does not exist is no error");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (!cli.words().empty()) return cli.usage_error("too many arguments");
    auto flux = open_tool("flux-archive");
    if (!flux) return 1;
    const auto done = remove(*flux, place, force);
    return done ? 0 : cli.error(done.error().text());
}

}  // namespace sluice
