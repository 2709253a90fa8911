// JSON Graph Format as the field uses it for resources: {"graph":{"nodes":[{"id","metadata"}],
// "edges":[{"source","target"}]}}. Read as a value first; then it may become a graph (read_jgf) or
// tell what of a graph a job has (search/update.hpp).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/rfc/idset.hpp"

namespace sluice {

struct JgfNode {
    std::string key;  // "id" of the node, by which edges name it
    std::string type, basename, name, unit;
    std::int64_t id = -2, uniq_id = -1, rank = -1;
    std::uint64_t size = 1;
    bool up = true, exclusive = false;
    std::map<std::string, std::string> paths, properties;
};
struct JgfEdge {
    std::string source, target, subsystem;
};

struct Jgf {
    std::vector<JgfNode> nodes;
    std::vector<JgfEdge> edges;
    std::optional<Idset> free_ranks;  // given back already

    /// Defaults are filled in: names from basename and id, basename from type.
    /// Errors: EINVAL naming the node and key.
    static Result<Jgf> parse(std::string_view text);
};

}  // namespace sluice
