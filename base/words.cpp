#include "base/words.hpp"

namespace sluice {

std::vector<std::string> split_words(std::string_view text, char separator) {
    std::vector<std::string> words;
    while (!text.empty()) {
        const std::size_t end = text.find(separator);
        if (end != 0) words.emplace_back(text.substr(0, end));
        text.remove_prefix(end == text.npos ? text.size() : end + 1);
    }
    return words;
}

}  // namespace sluice
