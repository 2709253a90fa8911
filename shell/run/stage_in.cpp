#include "shell/run/stage_in.hpp"

#include <fnmatch.h>

#include <filesystem>

#include "base/file_tree.hpp"
#include "base/rfc/treeobj.hpp"
#include "base/rpc/content_client.hpp"

namespace sluice::shell {
namespace {

Result<std::vector<FileObject>> look_up_archive(Handle& handle, const std::string& name) {
    const std::string key = "archive." + name;
    const JsonObject query{{"key", key}, {"namespace", "primary"}, {"flags", 0}};
    const auto reply = handle.call("kvs.lookup", query);
    if (!reply)
        return fail(reply.error().errnum(),
                    "stage-in: no {} in the primary namespace ({}); flux archive create makes it",
                    key, reply.error().text());
    JsonReader in{*reply};
    const JsonObject& value = in.object("val");
    if (!in) return in.error().in("stage-in");
    const auto object = decode_treeobj(value);
    if (!object) return object.error().in("stage-in");
    auto files = decode_archive(object->value);
    if (!files) return files.error().in("stage-in: " + key);
    return files;
}

}  // namespace

Result<void> stage_in(Handle& handle, const ShellOptions::StageIn& options,
                      const std::string& folder,
                      const std::function<void(const std::string& path)>& on_file) {
    const std::string destination = options.destination.value_or(folder);
    std::error_code error;
    if (!std::filesystem::is_directory(destination, error))
        return fail(ENOTDIR, "stage-in.destination: {}: not a folder on this node", destination);
    const FileWriting writing{
        .overwrite = true,
        .load = [&handle](const std::string& ref) { return load_blob(handle, ref); }};
    for (const std::string& name : options.names) {
        SLUICE_TRY(const auto files, look_up_archive(handle, name));
        for (const FileObject& file : files) {
            if (options.pattern &&
                ::fnmatch(options.pattern->c_str(), file.path.c_str(), 0) != 0)
                continue;
            const auto written = write_file_object(file, destination, writing);
            if (!written) return written.error().in("stage-in");
            on_file(file.path);
        }
    }
    return {};
}

}  // namespace sluice::shell
