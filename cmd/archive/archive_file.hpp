// Files of an archive, by libarchive: any format it knows, chosen by the name when writing and by
// the content when reading. The only includer of libarchive is archive_file.cpp.
#pragma once

#include <cstdint>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

struct archive;

namespace sluice {

struct ArchiveEntry {
    enum class Kind { file, symlink, other };
    Kind kind = Kind::file;
    std::string path;
    std::string target;       // of a symlink
    std::uint64_t bytes = 0;  // of a file
    std::time_t mtime = 0;
};

class ArchiveWriter {
  public:
    /// "-": a tar to standard output. Errors: the archive library's words.
    static Result<ArchiveWriter> open(const std::string& path);
    /// Adds a file with the pieces of its content, or a symlink. Files are ours, mode 0644.
    Result<void> add(const ArchiveEntry& entry, const std::vector<std::string_view>& pieces);
    /// Writes the rest.
    Result<void> close();

  private:
    struct Free {
        void operator()(archive* file) const;
    };
    std::unique_ptr<archive, Free> archive_;
};

class ArchiveReader {
  public:
    /// "-": standard input.
    static Result<ArchiveReader> open(const std::string& path);
    /// nullopt at the end.
    Result<std::optional<ArchiveEntry>> next();
    /// The content of the file that next() gave.
    Result<std::string> read(const ArchiveEntry& entry);

  private:
    struct Free {
        void operator()(archive* file) const;
    };
    std::unique_ptr<archive, Free> archive_;
};

}  // namespace sluice
