// The machine as the shell needs it: which processing units make up each core of R, and the XML for
// tasks that read HWLOC_XMLFILE. Loaded once in the zygote and inherited by every shell.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/rfc/idset.hpp"

namespace sluice::shell {

class Topology {
  public:
    /// Errors: EIO when hwloc cannot read the machine.
    static Result<Topology> load();
    Topology(Topology&&) noexcept;
    ~Topology();

    /// By logical core number, the numbers the operating system gives its processing units.
    const std::vector<Idset>& pus_of_core() const { return pus_of_core_; }
    /// Of the whole machine, or only what has to do with `cpus` (when not empty).
    /// Errors: EIO naming the file.
    Result<void> write_xml(const std::string& path, const Idset& cpus) const;

  private:
    struct Deleter {
        void operator()(void* topology) const;
    };
    Topology() = default;
    std::unique_ptr<void, Deleter> topology_;
    std::vector<Idset> pus_of_core_;
};

}  // namespace sluice::shell
