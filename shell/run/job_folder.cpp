#include "shell/run/job_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/aio/spawn.hpp"
#include "base/base64.hpp"

namespace sluice::shell {
namespace {

constexpr mode_t default_mode = S_IFREG | 0600;

Error about(const std::string& path) {
    return fail(errno, "{}: {}", path, Error{errno}.text());
}

Result<void> write_file(const std::string& path, std::string_view data, mode_t mode) {
    const OwnedFd file{::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)};
    if (file.get() < 0) return about(path);
    while (!data.empty()) {
        const ssize_t written = ::write(file.get(), data.data(), data.size());
        if (written < 0 && errno != EINTR) return about(path);
        if (written > 0) data.remove_prefix(static_cast<std::size_t>(written));
    }
    if (::fchmod(file.get(), mode & 07777) != 0) return about(path);
    return {};
}

/// The bytes of an entry. An object is a JSON document of its own (conf.json).
Result<std::string> file_data(std::string_view name, JsonReader& in, const Json& data) {
    const std::string encoding = in.string_or("encoding", "");
    if (!in) return in.error().in(name);
    if (!data.is_string()) return dump_json(data);
    const std::string_view text = data.get_string();
    if (encoding == "base64") {
        auto bytes = base64_decode(text);
        if (!bytes) return bytes.error().in(name);
        return bytes;
    }
    if (!encoding.empty() && encoding != "utf-8")
        return fail(EINVAL, "files: {}: encoding '{}', expected utf-8 or base64", name, encoding);
    return std::string{text};
}

bool stays_inside(const std::filesystem::path& name) {
    if (name.empty() || name.is_absolute()) return false;
    for (const auto& part : name)
        if (part == "..") return false;
    return true;
}

}  // namespace

Result<JobFolder> JobFolder::create(std::string path) {
    if (::mkdir(path.c_str(), 0700) != 0) {
        if (errno != EEXIST) return about(path);
        // Left behind by a shell that was killed.
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
        if (::mkdir(path.c_str(), 0700) != 0) return about(path);
    }
    return JobFolder{std::move(path)};
}

Result<void> JobFolder::add_files(const JsonObject& files) {
    for (const auto& entry : files) {
        const std::string name{entry.key()};
        const JsonObject* object = entry.value().if_object();
        if (!object || !stays_inside(name))
            return fail(EINVAL, "files: {}: malformed entry, or a name outside the folder", name);
        JsonReader in{*object};
        const auto mode = static_cast<mode_t>(in.integer_or("mode", default_mode));
        const Json* data = object->if_contains("data");
        const std::filesystem::path path = std::filesystem::path{path_} / name;
        std::error_code error;
        std::filesystem::create_directories(path.parent_path(), error);
        if (S_ISDIR(mode)) {
            std::filesystem::create_directories(path, error);
            continue;
        }
        if (!data) return fail(EINVAL, "files: {}: no data", name);
        SLUICE_TRY(const std::string bytes, file_data(name, in, *data));
        if (S_ISLNK(mode)) {
            if (::symlink(bytes.c_str(), path.c_str()) != 0) return about(path.string());
            continue;
        }
        SLUICE_CHECK(write_file(path.string(), bytes, mode));
    }
    return {};
}

void JobFolder::remove() {
    if (path_.empty()) return;
    const std::string path = std::exchange(path_, {});
    if (::rmdir(path.c_str()) == 0) return;
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
}

}  // namespace sluice::shell
