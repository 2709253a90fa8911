// Option --add-brokers=N of batch and alloc: N more brokers on the first node of the job, which get
// no work themselves.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json.hpp"
#include "base/result.hpp"
#include "cmd/options/submit_options.hpp"

namespace sluice {

struct AddedBrokers {
    std::int64_t nodes = 1, count = 1;
    std::int64_t total() const { return nodes + count; }
    /// RFC 34: the first node has the added ones too.
    std::string taskmap() const;
    /// Adds their ranks to resource.exclude of the instance's configuration.
    /// Errors: EINVAL when that names hosts.
    Result<void> exclude_in(Json& conf) const;
    friend bool operator==(const AddedBrokers&, const AddedBrokers&) = default;
};

/// nullopt without the option, or with 0. Errors: EINVAL without -N, or for no number.
Result<std::optional<AddedBrokers>> add_brokers_option(const SubmitOptions& options);

}  // namespace sluice
