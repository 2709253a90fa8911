#include "shell/run/spare_folder.hpp"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

namespace sluice::shell {
namespace {

bool is_as_new(const std::string& path) {
    const std::unique_ptr<DIR, int (*)(DIR*)> folder{::opendir(path.c_str()), ::closedir};
    if (!folder) return false;
    struct stat info {};
    if (::fstat(::dirfd(folder.get()), &info) != 0) return false;
    if (info.st_mode != (S_IFDIR | 0700) || info.st_uid != ::geteuid()) return false;
    while (const dirent* entry = ::readdir(folder.get())) {
        const std::string_view name = entry->d_name;
        if (name != "." && name != "..") return false;
    }
    return true;
}

}  // namespace

SpareFolder::~SpareFolder() {
    if (!path_.empty()) ::rmdir(path_.c_str());
}

bool SpareFolder::become(const std::string& path) {
    return !path_.empty() && std::rename(std::exchange(path_, {}).c_str(), path.c_str()) == 0;
}

bool SpareFolder::keep(const std::string& path) {
    if (!path_.empty() || !is_as_new(path)) return false;
    const std::filesystem::path parent = std::filesystem::path{path}.parent_path();
    std::string aside = parent / fmt::format("jobtmp-spare-{}", ::getpid());
    if (std::rename(path.c_str(), aside.c_str()) != 0) return false;
    path_ = std::move(aside);
    return true;
}

}  // namespace sluice::shell
