#include "base/file_tree.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <filesystem>

#include "base/aio/spawn.hpp"

namespace sluice {
namespace {

constexpr mode_t permission_bits = 07777;

Error about(const std::string& path) {
    return fail(errno, "{}: {}", path, Error{errno}.text());
}

Result<std::string> read_range(int fd, std::uint64_t offset, std::uint64_t size,
                               const std::string& path) {
    std::string bytes(size, '\0');
    for (std::size_t done = 0; done < size;) {
        const ssize_t got =
            ::pread(fd, bytes.data() + done, size - done, static_cast<off_t>(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return about(path);
        if (got == 0) return fail(EIO, "{}: became shorter while it was read", path);
        done += static_cast<std::size_t>(got);
    }
    return bytes;
}

Result<void> write_range(int fd, std::uint64_t offset, std::string_view bytes,
                         const std::string& path) {
    while (!bytes.empty()) {
        const ssize_t put = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return about(path);
        bytes.remove_prefix(static_cast<std::size_t>(put));
        offset += static_cast<std::uint64_t>(put);
    }
    return {};
}

/// Stores what is between the holes.
Result<std::vector<FileObject::Blob>> store_blobs(int fd, std::uint64_t file_size,
                                                  const FileReading& reading,
                                                  const std::string& path) {
    std::vector<FileObject::Blob> blobs;
    for (std::uint64_t offset = 0; offset < file_size;) {
        const off_t begin = ::lseek(fd, static_cast<off_t>(offset), SEEK_DATA);
        if (begin < 0 && errno == ENXIO) break;  // a hole up to the end
        if (begin < 0) return about(path);
        const off_t end = ::lseek(fd, begin, SEEK_HOLE);
        if (end < 0) return about(path);
        const auto data_end = std::min(static_cast<std::uint64_t>(end), file_size);
        for (offset = static_cast<std::uint64_t>(begin); offset < data_end;) {
            std::uint64_t size = data_end - offset;
            if (reading.blob_bytes_max) size = std::min(size, reading.blob_bytes_max);
            SLUICE_TRY(std::string bytes, read_range(fd, offset, size, path));
            auto ref = reading.store(std::move(bytes));
            if (!ref) return ref.error().in(path);
            blobs.push_back({offset, size, *std::move(ref)});
            offset += size;
        }
    }
    return blobs;
}

Result<void> read_content(const std::string& path, const FileReading& reading, FileObject& to) {
    const OwnedFd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (fd.get() < 0) return about(path);
    if (to.size <= reading.small_bytes_max) {
        SLUICE_TRY(to.data, read_range(fd.get(), 0, to.size, path));
    } else {
        SLUICE_TRY(to.blobs, store_blobs(fd.get(), to.size, reading, path));
    }
    return {};
}

Result<void> make_folders(const std::filesystem::path& path) {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error) return fail(error.value(), "{}: {}", path.string(), error.message());
    return {};
}

Result<void> write_file(const FileObject& object, const std::string& path,
                        const FileWriting& writing) {
    const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW;
    const OwnedFd fd{
        ::open(path.c_str(), flags | (writing.overwrite ? O_TRUNC : O_EXCL), 0600)};
    if (fd.get() < 0) return about(path);
    if (::ftruncate(fd.get(), static_cast<off_t>(object.size)) != 0) return about(path);
    SLUICE_CHECK(write_range(fd.get(), 0, object.data, path));
    for (const FileObject::Blob& blob : object.blobs) {
        const auto bytes = writing.load(blob.ref);
        if (!bytes) return bytes.error().in(path);
        if (bytes->size() != blob.size)
            return fail(EPROTO, "{}: blob {} has {} bytes, expected {}", path, blob.ref,
                        bytes->size(), blob.size);
        SLUICE_CHECK(write_range(fd.get(), blob.offset, *bytes, path));
    }
    if (::fchmod(fd.get(), object.mode & permission_bits) != 0) return about(path);
    if (object.mtime) {
        const timespec times[2] = {{0, UTIME_OMIT}, {static_cast<time_t>(*object.mtime), 0}};
        if (::futimens(fd.get(), times) != 0) return about(path);
    }
    return {};
}

Result<void> write_link(const FileObject& object, const std::string& path, bool overwrite) {
    if (overwrite) ::unlink(path.c_str());
    if (::symlink(object.data.c_str(), path.c_str()) != 0) return about(path);
    return {};
}

}  // namespace

Result<FileObject> read_file_object(const std::string& path, const FileReading& reading) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) return about(path);
    FileObject object;
    object.path = path.substr(std::min(path.find_first_not_of('/'), path.size()));
    if (object.path.empty()) object.path = ".";
    object.mode = status.st_mode;
    object.mtime = status.st_mtime;
    object.ctime = status.st_ctime;
    if (object.is_folder()) return object;
    if (object.is_link()) {
        char target[PATH_MAX];
        const ssize_t size = ::readlink(path.c_str(), target, sizeof target);
        if (size < 0) return about(path);
        object.data.assign(target, static_cast<std::size_t>(size));
        return object;
    }
    if (!object.is_file())
        return fail(EINVAL, "{}: unsupported file type; files, folders and links can be archived",
                    path);
    object.size = static_cast<std::uint64_t>(status.st_size);
    SLUICE_CHECK(read_content(path, reading, object));
    return object;
}

Result<void> write_file_object(const FileObject& object, const std::string& folder,
                               const FileWriting& writing) {
    const std::filesystem::path path = std::filesystem::path{folder} / object.path;
    SLUICE_CHECK(make_folders(object.is_folder() ? path : path.parent_path()));
    if (object.is_link()) return write_link(object, path, writing.overwrite);
    if (object.is_file()) return write_file(object, path, writing);
    if (::chmod(path.c_str(), object.mode & permission_bits) != 0) return about(path);
    return {};
}

}  // namespace sluice
