#include "base/paths.hpp"

#include <unistd.h>

#include <climits>
#include <filesystem>
#include <initializer_list>

#include "base/install_folders.hpp"

namespace sluice {
namespace {

std::string first_existing(std::string_view name, std::initializer_list<std::string_view> places) {
    const std::string folder = program_folder();
    std::string path;
    for (const std::string_view place : places) {
        path = std::filesystem::path(folder) / place / name;
        std::error_code error;
        if (std::filesystem::exists(path, error)) break;
    }
    return std::filesystem::path(path).lexically_normal();
}

}  // namespace

std::string program_folder() {
    char path[PATH_MAX];
    const ssize_t size = ::readlink("/proc/self/exe", path, sizeof path - 1);
    if (size <= 0) return ".";
    const std::string_view whole(path, size);
    return std::string{whole.substr(0, whole.rfind('/'))};
}

std::string helper_program(std::string_view name) {
    return first_existing(name, {".", "../lib/flux", "../" SLUICE_LIBDIR "/flux"});
}

std::string flux_command() { return first_existing("flux", {".", "../../bin", "../../../bin"}); }

std::string helper_library(std::string_view name) {
    return first_existing(name, {"pmi", ".", "../lib/flux", "../" SLUICE_LIBDIR "/flux"});
}

}  // namespace sluice
