// RFC 22 - idsets, and the laws of their algebra: the input is two idsets split by a space.
#include "base/rfc/idset.hpp"
#include "t/fuzz/fuzz.hpp"

SLUICE_FUZZ(text) {
    using namespace sluice;
    const std::size_t space = std::min(text.find(' '), text.size());
    const auto a = Idset::parse(text.substr(0, space));
    const auto b = Idset::parse(text.substr(std::min(space + 1, text.size())));
    if (!a) return;
    fuzz::expect_same(*a, Idset::parse(a->to_string()));
    fuzz::expect_same(*a, Idset::parse(a->to_bracketed()));
    if (!b) return;
    const Idset both = *a & *b, left = *a - *b, all = *a | *b;
    SLUICE_ASSERT((both | left) == *a);
    SLUICE_ASSERT((all - *b) == left);
    SLUICE_ASSERT(both.size() + left.size() == a->size());
    SLUICE_ASSERT(all.size() == left.size() + b->size());
    fuzz::expect_same(all, Idset::parse(all.to_string()));
}
