// R version 1 as it is written: R_lite's entries with children of any type in their order.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/rfc/idset.hpp"

namespace sluice {

struct Rv1Layout {
    struct Entry {
        Idset ranks;
        std::vector<std::pair<std::string, Idset>> children;  // type, ids
    };
    std::vector<Entry> entries;
    Idset ranks;                      // of all entries
    std::vector<std::string> hosts;   // in the order of ranks
    std::map<std::string, Idset> properties;

    /// Errors: EINVAL or EPROTO naming the key; EEXIST for a rank in two entries.
    static Result<Rv1Layout> parse(std::string_view text);
    std::optional<std::string> host_of(std::uint32_t rank) const;
};

}  // namespace sluice
