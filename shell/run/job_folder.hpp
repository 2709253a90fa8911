// The job's private folder on this node (FLUX_JOB_TMPDIR): made before the tasks, with the files of
// the jobspec in it (RFC 37), removed after them.
#pragma once

#include <string>

#include "base/file_tree.hpp"
#include "base/json.hpp"
#include "base/result.hpp"

namespace sluice::shell {

class JobFolder {
  public:
    /// Errors: the errno of mkdir, naming the path.
    static Result<JobFolder> create(std::string path);
    JobFolder(JobFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    JobFolder& operator=(JobFolder&& other) noexcept {
        std::swap(path_, other.path_);
        return *this;
    }
    ~JobFolder() { remove(); }

    const std::string& path() const { return path_; }
    /// Writes the entries of attributes.system.files: {mode, data, encoding} by name.
    /// Errors: EINVAL a name that leaves the folder, EPROTO wrong data; errno of the write.
    Result<void> add_files(const JsonObject& files, const LoadBlob& load);
    void remove();

  private:
    explicit JobFolder(std::string path) : path_(std::move(path)) {}
    std::string path_;
};

}  // namespace sluice::shell
