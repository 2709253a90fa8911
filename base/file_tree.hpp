// Files of a folder as RFC 37 objects, and back. Large files go through a content store, which the
// caller reaches; holes stay holes.
#pragma once

#include <functional>
#include <string>

#include "base/result.hpp"
#include "base/rfc/file_object.hpp"

namespace sluice {

/// Stores bytes, gives their blobref.
using StoreBlob = std::function<Result<std::string>(std::string bytes)>;
using LoadBlob = std::function<Result<std::string>(const std::string& ref)>;

struct FileReading {
    std::uint64_t blob_bytes_max = 1024 * 1024;  // 0: unlimited
    std::uint64_t small_bytes_max = 1024;        // up to here the object carries the bytes
    StoreBlob store;
};
/// The file, folder (without what is in it) or link at `path`; the object's path has no leading
/// slash. Errors: naming the path; EINVAL for another kind of file.
Result<FileObject> read_file_object(const std::string& path, const FileReading& reading);

struct FileWriting {
    bool overwrite = false;  // else a file that exists is an error
    LoadBlob load;
};
/// Makes `object` below `folder`, with the folders on the way. Errors: naming the path; EEXIST.
Result<void> write_file_object(const FileObject& object, const std::string& folder,
                               const FileWriting& writing);

}  // namespace sluice
