#include "base/shared_text.hpp"

#include <unordered_map>

namespace sluice {
namespace {

struct HashText {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
        return std::hash<std::string_view>{}(text);
    }
};

using Pool = std::unordered_map<std::string, std::size_t, HashText, std::equal_to<>>;

Pool& pool() {
    thread_local Pool texts;
    return texts;
}

}  // namespace

const std::string SharedText::nothing;

SharedText::Entry* SharedText::acquire(std::string_view text) {
    if (text.empty()) return nullptr;
    auto found = pool().find(text);
    if (found == pool().end()) found = pool().emplace(text, 0).first;
    ++found->second;
    return &*found;
}

void SharedText::release(Entry* entry) {
    pool().erase(pool().find(entry->first));
}

std::size_t SharedText::kept() {
    return pool().size();
}

}  // namespace sluice
