#include "shell/run/job_folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace sluice::shell {
namespace {

constexpr mode_t default_mode = S_IFREG | 0600;

Error about(const std::string& path) {
    return fail(errno, "{}: {}", path, Error{errno}.text());
}

}  // namespace

Result<JobFolder> JobFolder::create(std::string path, SpareFolder& spare) {
    if (spare.become(path)) return JobFolder{std::move(path), spare};
    if (::mkdir(path.c_str(), 0700) != 0) {
        if (errno != EEXIST) return about(path);
        // Left behind by a shell that was killed.
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
        if (::mkdir(path.c_str(), 0700) != 0) return about(path);
    }
    return JobFolder{std::move(path), spare};
}

Result<void> JobFolder::add_files(const JsonObject& files, const LoadBlob& load) {
    for (const auto& [name, value] : files) {
        const JsonObject* entry = value.if_object();
        if (!entry)
            return fail(EINVAL, "files: {}: expected an object", std::string_view{name});
        JsonObject named = *entry;
        named["path"] = name;
        if (!named.contains("mode")) named["mode"] = default_mode;
        const auto object = decode_file_object(named);
        if (!object) return object.error().in("files");
        if (object->is_file() && !named.contains("data"))
            return fail(EINVAL, "files: {}: no data", object->path);
        const auto written = write_file_object(*object, path_, {.overwrite = true, .load = load});
        if (!written) return written.error().in("files");
    }
    return {};
}

void JobFolder::remove() {
    if (path_.empty()) return;
    const std::string path = std::exchange(path_, {});
    if (spare_->keep(path) || ::rmdir(path.c_str()) == 0) return;
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
}

}  // namespace sluice::shell
