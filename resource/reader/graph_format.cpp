#include "resource/reader/reader.hpp"

namespace sluice {

Result<GraphFormat> parse_graph_format(std::string_view name) {
    using enum GraphFormat;
    constexpr std::pair<std::string_view, GraphFormat> known[] = {
        {"grug", grug}, {"jgf", jgf}, {"jgf_shorthand", jgf_shorthand}, {"rv1exec", rv1exec},
        {"rv1exec_force", rv1exec_force}, {"hwloc", hwloc},
    };
    for (const auto& [word, format] : known)
        if (word == name) return format;
    return fail(EINVAL, "unknown graph format '{}'", name);
}

}  // namespace sluice
