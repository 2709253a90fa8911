// Small sets of positions as machine words: which cores of a node are free, belong to a socket, ….
// Free functions work on the words of a larger array, so that a cluster's state is one block.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace sluice {

using Word = std::uint64_t;
inline constexpr std::size_t word_bits = 64;

constexpr std::size_t words_for(std::size_t bits) { return (bits + word_bits - 1) / word_bits; }

inline bool bit_test(std::span<const Word> words, std::size_t bit) {
    return words[bit / word_bits] >> (bit % word_bits) & 1;
}
inline void bit_set(std::span<Word> words, std::size_t bit) {
    words[bit / word_bits] |= Word{1} << (bit % word_bits);
}
inline void bit_clear(std::span<Word> words, std::size_t bit) {
    words[bit / word_bits] &= ~(Word{1} << (bit % word_bits));
}
inline std::size_t bit_count(std::span<const Word> words) {
    std::size_t count = 0;
    for (const Word word : words) count += static_cast<std::size_t>(std::popcount(word));
    return count;
}
/// Bits set in both; the spans have the same length.
inline std::size_t bit_count_common(std::span<const Word> a, std::span<const Word> b) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        count += static_cast<std::size_t>(std::popcount(a[i] & b[i]));
    return count;
}

/// Bits set from `first` up to and including `last`.
inline std::size_t bit_count_between(std::span<const Word> words, std::size_t first,
                                     std::size_t last) {
    std::size_t count = 0;
    for (std::size_t at = first / word_bits; at <= last / word_bits; ++at) {
        Word word = words[at];
        if (at == first / word_bits) word &= ~Word{0} << first % word_bits;
        if (at == last / word_bits) word &= ~Word{0} >> (word_bits - 1 - last % word_bits);
        count += static_cast<std::size_t>(std::popcount(word));
    }
    return count;
}

/// The first bit set from `from` on; SIZE_MAX if there is none.
inline std::size_t bit_next(std::span<const Word> words, std::size_t from) {
    for (std::size_t at = from / word_bits; at < words.size(); ++at) {
        Word word = words[at];
        if (at == from / word_bits) word &= ~Word{0} << (from % word_bits);
        if (word) return at * word_bits + static_cast<std::size_t>(std::countr_zero(word));
    }
    return SIZE_MAX;
}
/// The last bit set up to and including `upto`; SIZE_MAX if there is none.
inline std::size_t bit_previous(std::span<const Word> words, std::size_t upto) {
    for (std::size_t at = upto / word_bits + 1; at-- > 0;) {
        Word word = words[at];
        if (at == upto / word_bits) word &= ~Word{0} >> (word_bits - 1 - upto % word_bits);
        if (word)
            return (at + 1) * word_bits - 1 - static_cast<std::size_t>(std::countl_zero(word));
    }
    return SIZE_MAX;
}

/// An owned set of positions of fixed length.
class Bitmap {
  public:
    explicit Bitmap(std::size_t bits = 0) : words_(words_for(bits)) {}
    void set(std::size_t bit) { bit_set(words_, bit); }
    bool test(std::size_t bit) const { return bit_test(words_, bit); }
    std::size_t count() const { return bit_count(words_); }
    std::span<const Word> words() const { return words_; }
    friend bool operator==(const Bitmap&, const Bitmap&) = default;

  private:
    std::vector<Word> words_;
};

}  // namespace sluice
