#include "broker/directories.hpp"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "broker/config/attributes.hpp"

namespace sluice {
namespace {

/// What the name of a socket in the rundir may need: "/tbon-4294967295" and the NUL.
constexpr std::size_t socket_name_bytes = 17;
constexpr std::string_view made_name = "/flux-XXXXXX";

Result<void> check_folder(const std::string& name, const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0)
        return fail(errno, "{}: {}: {}", name, path, ::strerror(errno));
    if (!S_ISDIR(status.st_mode)) return fail(ENOTDIR, "{}: {}: is not a directory", name, path);
    if (status.st_uid != ::getuid())
        return fail(EPERM,
                    "{}: {}: is not owned by instance owner: it belongs to uid {}, the broker runs "
                    "as uid {}; run what made it and the broker as the same user",
                    name, path, status.st_uid, ::getuid());
    if (::access(path.c_str(), R_OK | W_OK | X_OK) != 0)
        return fail(errno, "{}: {}: {}; the broker needs to write there", name, path,
                    ::strerror(errno));
    return {};
}

}  // namespace

std::string temporary_folder(const std::string& usual, const std::string& fallback) {
    const char* folder = std::getenv("TMPDIR");
    if (folder && *folder) return folder;
    return fallback.empty() || ::access(usual.c_str(), W_OK) == 0 ? usual : fallback;
}

Result<void> check_rundir_length(const std::string& rundir) {
    const std::size_t limit = sizeof(sockaddr_un::sun_path) - socket_name_bytes;
    if (rundir.size() <= limit) return {};
    return fail(EINVAL,
                "rundir length of {} bytes exceeds the {} that leave room for a socket name; set "
                "TMPDIR or the rundir attribute to a shorter path",
                rundir.size(), limit);
}

Result<Directory> Directory::open(Attributes& attributes, const std::string& name,
                                  const std::string& parent) {
    Directory directory;
    bool made = false;
    if (const auto given = attributes.find(name); given && !given->empty()) {
        std::error_code error;
        directory.path_ = std::filesystem::absolute(*given, error);
        made = ::mkdir(directory.path_.c_str(), 0700) == 0;
        if (!made && errno != EEXIST)
            return fail(errno, "{}: {}: {}", name, directory.path_, ::strerror(errno));
    } else {
        directory.path_ = parent + std::string{made_name};
        if (name == "rundir") SLUICE_CHECK(check_rundir_length(directory.path_));
        if (!::mkdtemp(directory.path_.data()))
            return fail(errno, "{}: {}: {}", name, directory.path_, ::strerror(errno));
        made = true;
    }
    const std::string cleanup = name + "-cleanup";
    if (!attributes.set_by_command_line(cleanup)) attributes.set_integer(cleanup, made ? 1 : 0);
    directory.remove_ = attributes.integer_or(cleanup, 0) == 1;
    SLUICE_CHECK(check_folder(name, directory.path_));
    attributes.set(name, directory.path_);
    return directory;
}

Directory::Directory(Directory&& other) noexcept
    : path_(std::move(other.path_)), remove_(std::exchange(other.remove_, false)) {}

Directory& Directory::operator=(Directory&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(remove_, other.remove_);
    return *this;
}

Directory::~Directory() {
    std::error_code ignored;
    if (remove_) std::filesystem::remove_all(path_, ignored);
}

}  // namespace sluice
