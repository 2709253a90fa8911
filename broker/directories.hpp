// The broker's two folders: rundir (sockets; every rank) and statedir (what outlives a restart;
// rank 0). Folders that the broker makes it removes again, unless told otherwise.
#pragma once

#include <string>

#include "base/result.hpp"

namespace sluice {

class Attributes;

class Directory {
  public:
    Directory() = default;
    ~Directory();
    Directory(Directory&& other) noexcept;
    Directory& operator=(Directory&& other) noexcept;

    /// The folder of attribute `name` ("rundir", "statedir"), made if need be; without a value a
    /// new one under `parent`. Sets the attribute and NAME-cleanup. Errors: naming the path.
    static Result<Directory> open(Attributes& attributes, const std::string& name,
                                  const std::string& parent);
    const std::string& path() const { return path_; }

  private:
    std::string path_;
    bool remove_ = false;
};

/// $TMPDIR, else `usual`, or `fallback` when this user may not write there (a read-only root).
std::string temporary_folder(const std::string& usual, const std::string& fallback = {});
/// Errors: EINVAL when a socket "<rundir>/local-<rank>" would be too long.
Result<void> check_rundir_length(const std::string& rundir);

}  // namespace sluice
