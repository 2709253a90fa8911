#include "base/security/trusted_path.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdlib>
#include <memory>

namespace sluice {
namespace {

constexpr std::size_t file_bytes_max = std::size_t{1} << 20;
constexpr mode_t others_write = S_IWGRP | S_IWOTH;

Error about(const std::string& path) {
    if (errno == ELOOP || errno == ENOTDIR)
        return fail(errno, "{}: a link, or below what is no folder; name the real path", path);
    return fail(errno, "{}: {}", path, Error{errno}.text());
}

Result<void> check_owner_and_mode(int fd, const std::string& path, bool last) {
    struct stat status {};
    if (::fstat(fd, &status) != 0) return about(path);
    if (status.st_uid != 0)
        return fail(EPERM, "{}: belongs to uid {}, wanted root; run chown root:root {}", path,
                    status.st_uid, path);
    const bool sticky_folder = !last && S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX);
    if ((status.st_mode & others_write) && !sticky_folder)
        return fail(EPERM, "{}: others than root can write it (mode {:04o}); run chmod go-w {}",
                    path, status.st_mode & 07777u, path);
    return {};
}

}  // namespace

Result<OwnedFd> open_trusted(const std::string& path, int flags) {
    if (!path.starts_with('/')) return fail(EINVAL, "{}: want a path from the root", path);
    OwnedFd folder{::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)};
    if (folder.get() < 0) return about("/");
    SLUICE_CHECK(check_owner_and_mode(folder.get(), "/", false));
    std::size_t start = 1;
    while (true) {
        const std::size_t end = path.find('/', start);
        const std::string part = path.substr(start, end - start);
        if (part == "..") return fail(EINVAL, "{}: goes up by ..; name the real path", path);
        const bool last = end == std::string::npos;
        const int how = last ? flags | O_NOFOLLOW | O_CLOEXEC
                             : O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
        OwnedFd next{::openat(folder.get(), part.empty() ? "." : part.c_str(), how)};
        const std::string seen = path.substr(0, end);
        if (next.get() < 0) return about(seen);
        SLUICE_CHECK(check_owner_and_mode(next.get(), seen, last));
        if (last) return next;
        folder = std::move(next);
        start = end + 1;
    }
}

Result<std::string> read_trusted_file(const std::string& path) {
    SLUICE_TRY(const OwnedFd file, open_trusted(path, O_RDONLY | O_NONBLOCK | O_NOCTTY));
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) return about(path);
    if (!S_ISREG(status.st_mode)) return fail(EINVAL, "{}: no regular file", path);
    std::string text;
    char piece[4096];
    while (true) {
        const ssize_t got = ::read(file.get(), piece, sizeof piece);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return about(path);
        if (got == 0) return text;
        text.append(piece, static_cast<std::size_t>(got));
        if (text.size() > file_bytes_max)
            return fail(EFBIG, "{}: over {} bytes", path, file_bytes_max);
    }
}

Result<void> check_trusted_program(const std::string& path) {
    if (!path.starts_with('/')) return fail(EINVAL, "{}: want a path from the root", path);
    const std::unique_ptr<char, void (*)(void*)> real{::realpath(path.c_str(), nullptr), ::free};
    if (!real) return about(path);
    SLUICE_TRY(const OwnedFd file, open_trusted(real.get(), O_PATH));
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) return about(path);
    if (!S_ISREG(status.st_mode) || !(status.st_mode & S_IXUSR))
        return fail(EACCES, "{}: no program; run chmod +x, or name another", path);
    return {};
}

}  // namespace sluice
