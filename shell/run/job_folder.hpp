// The job's private folder on this node (FLUX_JOB_TMPDIR): made before the tasks, with the files of
// the jobspec in it (RFC 37), removed after them.
#pragma once

#include <string>

#include "base/file_tree.hpp"
#include "base/json.hpp"
#include "base/result.hpp"
#include "shell/run/spare_folder.hpp"

namespace sluice::shell {

class JobFolder {
  public:
    /// `spare` outlives it. Errors: the errno of mkdir, naming the path.
    static Result<JobFolder> create(std::string path, SpareFolder& spare);
    JobFolder(JobFolder&& other) noexcept
        : path_(std::exchange(other.path_, {})), spare_(other.spare_) {}
    JobFolder& operator=(JobFolder&& other) noexcept {
        std::swap(path_, other.path_);
        std::swap(spare_, other.spare_);
        return *this;
    }
    ~JobFolder() { remove(); }

    const std::string& path() const { return path_; }
    /// Writes the entries of attributes.system.files: {mode, data, encoding} by name.
    /// Errors: EINVAL a name that leaves the folder, EPROTO wrong data; errno of the write.
    Result<void> add_files(const JsonObject& files, const LoadBlob& load);
    void remove();

  private:
    JobFolder(std::string path, SpareFolder& spare) : path_(std::move(path)), spare_(&spare) {}
    std::string path_;
    SpareFolder* spare_;
};

}  // namespace sluice::shell
