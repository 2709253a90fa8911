// The ways in which a broker that boots, and `flux pmi`, reach a PMI server: the wire itself, the
// two C libraries of a launcher, or none at all (a job of one task).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace sluice::pmi {

/// What a method must offer. Calls fail with the errno of the PMI return code.
class Method {
  public:
    virtual ~Method() = default;
    virtual std::uint32_t rank() const = 0;
    virtual std::uint32_t size() const = 0;
    /// The name of the job: the KVS name.
    virtual std::string name() = 0;
    virtual Result<void> put(const std::string& key, const std::string& value) = 0;
    virtual Result<std::string> get(const std::string& key) = 0;
    virtual Result<void> barrier() = 0;
    virtual Result<void> finalize() = 0;
    virtual void abort(int code, const std::string& message) = 0;
};

/// `uri`: "simple", "libpmi[:PATH]", "libpmi2[:PATH]" or "single"; empty takes the first that
/// works. Errors: EINVAL an unknown method; why the method cannot be used.
Result<std::unique_ptr<Method>> open_method(std::string_view uri);

}  // namespace sluice::pmi
