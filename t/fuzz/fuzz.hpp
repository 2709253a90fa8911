// What the fuzz targets share. A target decodes any bytes without fault, and what it could decode
// must survive being encoded and decoded again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.hpp"

namespace sluice::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

/// `again` holds the value that was encoded and decoded.
template <class T, class Again>
void expect_same(const T& value, const Again& again) {
    SLUICE_ASSERT(again);
    SLUICE_ASSERT(*again == value);
}

}  // namespace sluice::fuzz

/// Defines the target: SLUICE_FUZZ(text) { … }
#define SLUICE_FUZZ(text)                                                                 \
    static void fuzz_one(std::string_view text);                                          \
    extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {   \
        fuzz_one(sluice::fuzz::text_of(data, size));                                      \
        return 0;                                                                         \
    }                                                                                     \
    static void fuzz_one(std::string_view text)
