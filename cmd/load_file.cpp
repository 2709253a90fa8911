#include "cmd/load_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace sluice {
namespace {

std::string expand_home(const std::string& path) {
    const char* home = std::getenv("HOME");
    const bool in_home = path == "~" || path.starts_with("~/");
    return home && in_home ? home + path.substr(1) : path;
}

Result<std::string> read_all(int fd, const std::string& path) {
    std::string content;
    char buffer[65536];
    for (;;) {
        const ssize_t size = ::read(fd, buffer, sizeof buffer);
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) return file_error(errno, path);
        if (size == 0) return content;
        content.append(buffer, static_cast<std::size_t>(size));
    }
}

}  // namespace

Result<LoadedFile> load_file(const std::string& path) {
    const int fd = ::open(expand_home(path).c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return file_error(errno, path);
    struct stat status {};
    ::fstat(fd, &status);
    Result<std::string> content = read_all(fd, path);
    ::close(fd);
    if (!content) return content.error();
    return LoadedFile{*std::move(content), status.st_mode};
}

}  // namespace sluice
