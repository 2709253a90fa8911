#include "pmi/clique.hpp"

#include <charconv>
#include <string>

namespace sluice::pmi {
namespace {

/// All whole numbers of `text`, in order; nullopt when one is too large.
std::optional<std::vector<std::uint32_t>> numbers_in(std::string_view text) {
    std::vector<std::uint32_t> numbers;
    for (std::size_t at = 0; (at = text.find_first_of("0123456789", at)) != text.npos;) {
        std::uint32_t number = 0;
        const auto [rest, error] =
            std::from_chars(text.data() + at, text.data() + text.size(), number);
        if (error != std::errc{}) return std::nullopt;
        numbers.push_back(number);
        at = static_cast<std::size_t>(rest - text.data());
    }
    return numbers;
}

}  // namespace

std::optional<std::vector<std::uint32_t>> nodes_of_tasks(std::string_view mapping,
                                                         std::uint32_t size) {
    const bool is_vector = mapping.starts_with("(vector,");
    constexpr std::string_view map_key = "\"map\":";
    if (!is_vector) {
        const std::size_t map = mapping.find(map_key);
        if (map == mapping.npos) return std::nullopt;
        mapping.remove_prefix(map + map_key.size());
        mapping = mapping.substr(0, mapping.find("]]"));
    }
    const auto numbers = numbers_in(mapping);
    const std::size_t width = is_vector ? 3 : 4;
    if (!numbers || numbers->size() % width != 0) return std::nullopt;
    std::vector<std::uint32_t> nodes;
    for (auto block = numbers->begin(); block != numbers->end(); block += width) {
        const std::uint32_t first = block[0], count = block[1], ppn = block[2];
        const std::uint32_t repeat = is_vector ? 1 : block[3];
        if (count == 0 || ppn == 0) continue;
        for (std::uint32_t turn = 0; turn < repeat && nodes.size() < size; ++turn)
            for (std::uint32_t node = first; node - first < count && nodes.size() < size; ++node)
                for (std::uint32_t i = 0; i < ppn && nodes.size() < size; ++i)
                    nodes.push_back(node);
    }
    if (nodes.size() != size) return std::nullopt;
    return nodes;
}

std::vector<int> clique_of(const std::vector<std::uint32_t>& nodes, std::uint32_t rank) {
    std::vector<int> ranks;
    for (std::uint32_t task = 0; task < nodes.size(); ++task)
        if (nodes[task] == nodes[rank]) ranks.push_back(static_cast<int>(task));
    return ranks;
}

}  // namespace sluice::pmi
