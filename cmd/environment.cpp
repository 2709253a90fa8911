#include "cmd/environment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/paths.hpp"

namespace sluice {
namespace {

std::string_view env_or_empty(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

std::string join_path(const std::vector<std::string>& parts) {
    std::string out;
    for (const std::string& part : parts) out += (out.empty() ? "" : ":") + part;
    return out;
}

void set_path(const char* name, const std::vector<std::string>& parts, bool verbose) {
    const std::string value = join_path(parts);
    if (verbose) fmt::print(stderr, "{}={}\n", name, value);
    if (value.empty() || value == env_or_empty(name)) return;
    ::setenv(name, value.c_str(), 1);
}

}  // namespace

std::vector<std::string> merge_path_lists(const std::vector<std::string_view>& lists) {
    std::vector<std::string> parts;
    for (std::string_view list : lists) {
        while (!list.empty()) {
            const std::size_t colon = std::min(list.find(':'), list.size());
            std::string part{list.substr(0, colon)};
            if (!part.empty() && std::ranges::find(parts, part) == parts.end())
                parts.push_back(std::move(part));
            list.remove_prefix(std::min(colon + 1, list.size()));
        }
    }
    return parts;
}

std::vector<std::string> command_search_path() {
    const std::string installed = program_folder();
    return merge_path_lists({env_or_empty("FLUX_EXEC_PATH_PREPEND"), installed,
                             env_or_empty("FLUX_EXEC_PATH"), env_or_empty("PATH")});
}

void prepare_environment(std::string_view argv0, bool verbose) {
    const std::string folder = program_folder();
    if (argv0.find('/') != std::string_view::npos)
        set_path("PATH", merge_path_lists({folder, env_or_empty("PATH")}), verbose);
    set_path("FLUX_EXEC_PATH",
             merge_path_lists(
                 {env_or_empty("FLUX_EXEC_PATH_PREPEND"), folder, env_or_empty("FLUX_EXEC_PATH")}),
             verbose);
    if (const auto prepend = env_or_empty("FLUX_PYTHONPATH_PREPEND"); !prepend.empty())
        set_path("PYTHONPATH", merge_path_lists({prepend, env_or_empty("PYTHONPATH")}), verbose);
    for (const char* name : {"FLUX_RC_EXTRA", "FLUX_SHELL_RC_PATH"})
        if (const auto value = env_or_empty(name); !value.empty())
            set_path(name, merge_path_lists({value}), verbose);
}

}  // namespace sluice
