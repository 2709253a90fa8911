// Integers that must not be swapped: ranks, job ids, user ids.
#pragma once

#include <fmt/format.h>

#include <compare>
#include <cstdint>
#include <functional>

namespace sluice {

template <class Tag, class T>
struct StrongId {
    T value{};
    constexpr StrongId() = default;
    constexpr explicit StrongId(T v) : value(v) {}
    friend constexpr auto operator<=>(StrongId, StrongId) = default;
};

using Rank = StrongId<struct RankTag, std::uint32_t>;    // TBON rank, 0 is the lead
using JobId = StrongId<struct JobIdTag, std::uint64_t>;  // FLUID (RFC 19)
using UserId = StrongId<struct UserIdTag, std::uint32_t>;

inline constexpr UserId userid_unknown{0xFFFFFFFFu};

}  // namespace sluice

template <class Tag, class T>
struct std::hash<sluice::StrongId<Tag, T>> {
    std::size_t operator()(sluice::StrongId<Tag, T> id) const noexcept {
        return std::hash<T>{}(id.value);
    }
};

template <class Tag, class T>
struct fmt::formatter<sluice::StrongId<Tag, T>> : fmt::formatter<T> {
    template <class Context>
    auto format(sluice::StrongId<Tag, T> id, Context& context) const {
        return fmt::formatter<T>::format(id.value, context);
    }
};
