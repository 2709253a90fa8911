// flux kvs ls and dir.
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "cmd/client.hpp"
#include "cmd/format/columns.hpp"
#include "cmd/instance.hpp"
#include "cmd/kvs/client.hpp"

namespace sluice {
namespace {

constexpr std::size_t width_default = 80;

/// -w, else the terminal's, else COLUMNS, else 80.
std::size_t line_width(std::optional<std::int64_t> given) {
    if (given) return static_cast<std::size_t>(std::max<std::int64_t>(0, *given));
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    const char* columns = std::getenv("COLUMNS");
    const long number = columns ? std::atol(columns) : 0;
    return number > 0 ? static_cast<std::size_t>(number) : width_default;
}

std::string join_key(const std::string& directory, const std::string& name) {
    return directory == "." ? name : directory + "." + name;
}

Cli::Apply width_into(std::optional<std::int64_t>& to) {
    return [&to](std::optional<std::string> text) -> Result<void> {
        SLUICE_TRY(to, parse_integer(text.value_or("")));
        return {};
    };
}

struct ListOptions {
    std::optional<std::string> name_space;
    std::optional<std::int64_t> width;
    bool recursive = false, directory = false, one = false, classify = false;
};

class Lister {
  public:
    Lister(Handle& flux, const ListOptions& options)
        : flux_(flux),
          options_(options),
          name_space_(kvs_namespace(options.name_space)),
          width_(options.one ? 0 : line_width(options.width)) {}

    int list(const std::vector<std::string>& keys) {
        std::vector<std::string> values, directories;
        for (const std::string& key : keys) {
            const auto object = look(key, kvs_flag::treeobj);
            if (!object) {
                fmt::print(stderr, "{}: {}\n", key, errno_text(object.error()));
                code_ = 1;
            } else if (object->is_directory() && !options_.directory) {
                directories.push_back(key);
            } else {
                values.push_back(options_.classify && !options_.directory ? key + mark(*object)
                                                                          : key);
            }
        }
        if (!values.empty()) show(columns_text(values, width_));
        const bool headings = options_.recursive || keys.size() > 1;
        for (const std::string& key : directories) list_directory(key, headings);
        return code_;
    }

  private:
    Result<TreeObject> look(const std::string& key, std::int64_t flags) {
        return kvs_lookup(flux_, {.name_space = name_space_, .key = key, .flags = flags});
    }

    static std::string mark(const TreeObject& object) {
        if (object.is_directory()) return ".";
        return object.kind == TreeObject::Kind::symlink ? "@" : "";
    }

    void show(const std::string& text) {
        write_stdout(text);
        printed_ = true;
    }

    void list_directory(const std::string& key, bool heading) {
        const auto dir = look(key, kvs_flag::readdir);
        if (!dir) {
            fmt::print(stderr, "{}: {}\n", key, errno_text(dir.error()));
            code_ = 1;
            return;
        }
        std::vector<std::string> names;
        for (const auto& [name, entry] : dir->entries)
            names.push_back(options_.classify ? name + mark(entry) : name);
        std::string text;
        if (heading) text = (printed_ ? "\n" : "") + key + ":\n";
        show(text + columns_text(names, width_));
        if (!options_.recursive) return;
        for (const auto& [name, entry] : dir->entries)
            if (entry.is_directory()) list_directory(join_key(key, name), true);
    }

    Handle& flux_;
    const ListOptions& options_;
    std::string name_space_;
    std::size_t width_;
    bool printed_ = false;
    int code_ = 0;
};

struct DirOptions {
    std::optional<std::string> name_space;
    std::optional<std::int64_t> width;
    std::string at;
    bool recursive = false, names_only = false;
};

/// A value on one line, cut to the width of the line.
std::string one_line(const std::string& start, const TreeObject& object, std::size_t width) {
    std::string text = start;
    for (const char c : object.value) text += c == '\n' ? "\\n" : std::string(1, c);
    constexpr std::string_view dots = "...";
    if (width > dots.size() && text.size() > width)
        text = text.substr(0, width - dots.size()) + std::string{dots};
    return text;
}

Result<void> print_dir(Handle& flux, const DirOptions& options, const std::string& key,
                       std::size_t width) {
    const KvsQuery query{.name_space = kvs_namespace(options.name_space), .at = options.at};
    const auto look = [&](const std::string& at_key, std::int64_t flags) {
        KvsQuery one = query;
        one.key = at_key;
        one.flags = flags;
        return kvs_lookup(flux, one);
    };
    SLUICE_TRY(const TreeObject dir, look(key, kvs_flag::readdir));
    for (const auto& [name, entry] : dir.entries) {
        const std::string full = join_key(key, name);
        if (entry.is_directory()) {
            if (options.recursive)
                SLUICE_CHECK(print_dir(flux, options, full, width));
            else
                fmt::print("{}.\n", full);
        } else if (entry.kind == TreeObject::Kind::symlink) {
            const std::string space =
                entry.target_namespace.empty() ? "" : entry.target_namespace + "::";
            fmt::print("{} -> {}{}\n", full, space, entry.target);
        } else if (options.names_only) {
            fmt::print("{}\n", full);
        } else {
            SLUICE_TRY(const TreeObject value, look(full, 0));
            fmt::print("{}\n", one_line(full + " = ", value, width));
        }
    }
    return {};
}

}  // namespace

int cmd_kvs_ls(int argc, char** argv) {
    ListOptions options;
    Cli cli("flux-kvs ls", CliStyle::c_tool, "[OPTIONS] [key...]", "List directories.");
    cli.option("-N,--namespace=NAME", options.name_space, "Namespace of the keys");
    cli.flag("-R,--recursive", options.recursive, "List subdirectories too");
    cli.flag("-d,--directory", options.directory, "List directories themselves");
    cli.option("-w,--width=COLS", width_into(options.width), "Width of the lines, 0: no limit");
    cli.flag("-1", options.one, "One name a line");
    cli.flag("-F,--classify", options.classify, "Mark directories by . and links by @");
    if (const auto code = cli.parse(argc, argv)) return *code;
    auto flux = open_tool("flux-kvs");
    if (!flux) return 1;
    const std::vector<std::string> root{"."};
    return Lister{*flux, options}.list(cli.words().empty() ? root : cli.words());
}

int cmd_kvs_dir(int argc, char** argv) {
    DirOptions options;
    Cli cli("flux-kvs dir", CliStyle::c_tool, "[OPTIONS] [key]", "Print keys and values.");
    cli.option("-N,--namespace=NAME", options.name_space, "Namespace of the key");
    cli.option("-a,--at=TREEOBJ", options.at, "Look under this root");
    cli.flag("-R,--recursive", options.recursive, "Go into subdirectories");
    cli.flag("-d,--directory", options.names_only, "Leave out the values");
    cli.option("-w,--width=COLS", width_into(options.width), "Width of the lines, 0: no limit");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() > 1) return cli.usage_error("give one key");
    auto flux = open_tool("flux-kvs");
    if (!flux) return 1;
    const std::string key = cli.words().empty() ? "." : cli.words()[0];
    const auto done = print_dir(*flux, options, key, line_width(options.width));
    return done ? 0 : kvs_error(key, done.error());
}

}  // namespace sluice
