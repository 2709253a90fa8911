// RFC 37 - File archives: a file, folder or symbolic link as a JSON object. Small files carry their
// bytes, larger ones references to blobs of the content store (RFC 10), without their holes. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"

namespace sluice {

struct FileObject {
    struct Blob {
        std::uint64_t offset = 0, size = 0;  // bytes
        std::string ref;
        friend bool operator==(const Blob&, const Blob&) = default;
    };
    std::string path;         // relative
    std::uint32_t mode = 0;   // type and permissions, as st_mode
    std::uint64_t size = 0;   // bytes of a file
    std::optional<std::int64_t> mtime, ctime;  // seconds since 1970
    std::string data;         // bytes of a file, or the target of a link
    std::vector<Blob> blobs;  // instead of data
    bool is_folder() const;
    bool is_link() const;
    bool is_file() const;
    friend bool operator==(const FileObject&, const FileObject&) = default;
};

JsonObject encode_file_object(const FileObject& object);
/// Errors: EPROTO naming the path; EINVAL for a path that leaves the folder it is extracted to.
Result<FileObject> decode_file_object(const Json& value);
/// The objects of an archive, which is a JSON array. Errors: as decode_file_object.
Result<std::vector<FileObject>> decode_archive(std::string_view text);

}  // namespace sluice
