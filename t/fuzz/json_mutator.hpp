// A mutator for inputs of lines that end in JSON: changes one value, key or line of one, so that
// most mutants still parse and reach what checks their keys and types.
#pragma once

#include <cstring>
#include <random>
#include <string>
#include <string_view>

#include "base/json.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t size_max);

namespace sluice::fuzz {

/// A value that decoders tend not to expect.
inline Json odd_value(std::mt19937& random) {
    static const JsonArray values = {
        nullptr, true, 0, 1, -1, 0.0, 1.5, -0.5, 1e300, std::int64_t{INT64_MAX},
        std::int64_t{INT64_MIN}, std::uint64_t{UINT64_MAX}, 4294967295, 4294967296, "", "x",
        ".", "a.b", "all", "0-3", "0-4294967295", "[0-9]", "\xC6\x92" "1", "primary",
        "sha1-0000000000000000000000000000000000000000", JsonArray{}, JsonObject{},
        JsonArray{nullptr}, JsonArray{0}, JsonArray{"x"}, JsonObject{{"x", 1}},
        std::string(300, 'a'),
    };
    return values[random() % values.size()];
}

/// Changes one node of the tree, chosen at random.
inline void mutate_value(Json& value, std::mt19937& random) {
    auto* object = value.if_object();
    auto* array = value.if_array();
    const bool enter = random() % 4 != 0;
    if (object && !object->empty() && enter) {
        const auto at = static_cast<std::ptrdiff_t>(random() % object->size());
        const auto chosen = object->begin() + at;
        const std::string key{chosen->key()};
        switch (random() % 6) {
            case 0: object->erase(chosen); break;
            case 1: (*object)[key + "x"] = odd_value(random); break;
            default: mutate_value(chosen->value(), random);
        }
    } else if (array && !array->empty() && enter) {
        const std::size_t at = random() % array->size();
        switch (random() % 6) {
            case 0: array->erase(array->begin() + static_cast<std::ptrdiff_t>(at)); break;
            case 1: array->push_back((*array)[at]); break;
            default: mutate_value((*array)[at], random);
        }
    } else if (value.is_string() && random() % 2 == 0) {
        std::string text{value.get_string()};
        const std::size_t size = text.size();
        text.resize(size + 16);
        auto* bytes = reinterpret_cast<std::uint8_t*>(text.data());
        text.resize(LLVMFuzzerMutate(bytes, size, text.size()));
        value = text;
    } else {
        value = odd_value(random);
    }
}

inline std::size_t mutate_line(std::uint8_t* data, std::size_t size, std::size_t size_max,
                               unsigned seed) {
    std::mt19937 random{seed};
    if (random() % 3 == 0) return LLVMFuzzerMutate(data, size, size_max);
    const std::string text{reinterpret_cast<const char*>(data), size};
    std::size_t begin = size == 0 ? 0 : random() % size;
    begin = text.rfind('\n', begin) == text.npos ? 0 : text.rfind('\n', begin) + 1;
    const std::size_t end = std::min(text.find('\n', begin), size);
    const std::size_t brace = text.find('{', begin);
    if (brace == text.npos || brace >= end) return LLVMFuzzerMutate(data, size, size_max);
    auto payload = parse_json(std::string_view{text}.substr(brace, end - brace));
    if (!payload) return LLVMFuzzerMutate(data, size, size_max);
    mutate_value(*payload, random);
    const std::string made =
        text.substr(0, brace) + boost::json::serialize(*payload) + text.substr(end);
    if (made.size() > size_max) return LLVMFuzzerMutate(data, size, size_max);
    std::memcpy(data, made.data(), made.size());
    return made.size();
}

}  // namespace sluice::fuzz
