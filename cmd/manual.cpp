#include "cmd/manual.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <initializer_list>

#include "base/paths.hpp"
#include "cmd/client.hpp"
#include "cmd/load_file.hpp"

namespace sluice {
namespace {

/// The file in the build tree or in the installation, or "".
std::string find_file(const std::string& name, std::initializer_list<const char*> folders) {
    std::error_code error;
    for (const char* folder : folders) {
        const std::string path = fmt::format("{}/{}/{}", program_folder(), folder, name);
        if (std::filesystem::exists(path, error)) return path;
    }
    return "";
}

}  // namespace

bool show_manual(std::string_view name) {
    const std::string base{name};
    const std::string page = find_file(base + ".1", {"doc/man1", "../share/man/man1"});
    if (!page.empty() && stdout_is_terminal())
        ::execlp("man", "man", page.c_str(), static_cast<char*>(nullptr));
    const std::string text = find_file(base + ".txt", {"doc/man1", "../share/flux/help"});
    if (text.empty()) return false;
    const auto content = load_file(text);
    if (content) write_stdout(content->content);
    return content.has_value();
}

}  // namespace sluice
