// flux archive extract, list.
#include <fmt/format.h>
#include <fnmatch.h>

#include <cstdio>

#include "base/file_tree.hpp"
#include "base/rfc/fsd.hpp"
#include "base/rpc/content_client.hpp"
#include "cmd/archive/archive.hpp"
#include "cmd/instance.hpp"

namespace sluice {
namespace {

struct ExtractOptions {
    ArchivePlace place;
    std::string directory;
    bool overwrite = false, list_only = false, wait = false;
    int verbose = 0;
    std::optional<double> timeout;  // seconds, of wait
};

bool wanted(const std::vector<std::string>& words, const std::string& path) {
    return words.empty() || ::fnmatch(words[0].c_str(), path.c_str(), 0) == 0;
}

Result<std::string> wait_for_archive(Handle& flux, const ExtractOptions& options) {
    KvsQuery query = options.place.query();
    query.flags = kvs_flag::watch | kvs_flag::waitcreate;
    std::string text;
    const auto watched =
        kvs_watch(flux, query, options.timeout, [&](const TreeObject& object) {
            text = object.value;
            return KvsWatchStep::stop;
        });
    if (!watched && watched.error().errnum() == ETIMEDOUT)
        return fail(ETIMEDOUT, "{}: key was not created within timeout window", query.key);
    if (!watched) return watched.error().in("KVS lookup " + query.key);
    return text;
}

Result<void> extract(Handle& flux, const ExtractOptions& options,
                     const std::vector<std::string>& words) {
    SLUICE_CHECK(enter_directory(options.directory));
    const auto text =
        options.wait ? wait_for_archive(flux, options) : look_up_archive(flux, options.place);
    if (!text) return text.error();
    SLUICE_TRY(const auto files, decode_archive(*text));
    const FileWriting writing{
        .overwrite = options.overwrite,
        .load = [&flux](const std::string& ref) { return load_blob(flux, ref); }};
    std::size_t matched = 0;
    for (const FileObject& file : files) {
        if (!wanted(words, file.path)) continue;
        ++matched;
        if (options.list_only) {
            fmt::print("{}\n", file.path);
            continue;
        }
        if (options.verbose) fmt::print(stderr, "{}\n", file.path);
        SLUICE_CHECK(write_file_object(file, ".", writing));
    }
    if (matched == 0 && !words.empty())
        fmt::print(stderr, "flux-archive: No files matched pattern '{}'\n", words[0]);
    return {};
}

void print_long(const FileObject& file) {
    const char kind = file.is_folder() ? 'd' : file.is_link() ? 'l' : 'f';
    fmt::print("{} 0{:o} {:8} {}\n", kind, file.mode & 0777u, file.size, file.path);
}

Result<void> list(Handle& flux, const ArchivePlace& place, bool raw, bool long_form,
                  const std::vector<std::string>& words) {
    SLUICE_TRY(const std::string text, look_up_archive(flux, place));
    SLUICE_TRY(const Json archive, parse_json(text));
    SLUICE_TRY(const auto files, decode_archive(text));
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (!wanted(words, files[i].path)) continue;
        if (raw)
            fmt::print("{}\n", dump_json(archive.get_array()[i]));
        else if (long_form)
            print_long(files[i]);
        else
            fmt::print("{}\n", files[i].path);
    }
    return {};
}

}  // namespace

int cmd_archive_extract(int argc, char** argv) {
    ExtractOptions options;
    Cli cli("flux-archive extract", CliStyle::c_tool, "[OPTIONS] [PATTERN]",
            "Write the files of an archive, or those that match.");
    options.place.declare(cli);
    cli.option("-C,--directory=DIR", options.directory, "Write them into DIR");
    cli.option(
        "-v,--verbose[=LEVEL]",
        [&](std::optional<std::string>) { return ++options.verbose, Result<void>{}; },
        "List the files on standard error");
    cli.flag("--overwrite", options.overwrite, "Replace files that exist");
    cli.flag("-t,--list-only", options.list_only, "List the files, write nothing");
    cli.option(
        "--waitcreate[=FSD]",
        [&](std::optional<std::string> limit) -> Result<void> {
            options.wait = true;
            if (limit) {
                SLUICE_TRY(options.timeout, fsd_parse(*limit));
            }
            return {};
        },
        "Wait until there is an archive of this name");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() > 1) return cli.usage_error("give one pattern");
    auto flux = open_tool("flux-archive");
    if (!flux) return 1;
    const auto done = extract(*flux, options, cli.words());
    return done ? 0 : cli.error(done.error().text());
}

int cmd_archive_list(int argc, char** argv) {
    ArchivePlace place;
    bool raw = false, long_form = false;
    Cli cli("flux-archive list", CliStyle::c_tool, "[OPTIONS] [PATTERN]",
            "List the files of an archive, or those that match.");
    place.declare(cli);
    cli.flag("-l,--long", long_form, "Show type, permissions and size");
    cli.flag("--raw", raw, "Show the RFC 37 objects");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() > 1) return cli.usage_error("give one pattern");
    auto flux = open_tool("flux-archive");
    if (!flux) return 1;
    const auto done = list(*flux, place, raw, long_form, cli.words());
    return done ? 0 : cli.error(done.error().text());
}

}  // namespace sluice
