// RFC 23 - durations: never negative nor NaN, and what we print we can read.
#include <cmath>

#include "base/rfc/fsd.hpp"
#include "t/fuzz/fuzz.hpp"

SLUICE_FUZZ(text) {
    using namespace sluice;
    const auto seconds = fsd_parse(text);
    if (!seconds) return;
    SLUICE_ASSERT(*seconds >= 0);
    const auto printed = fsd_parse(fsd_format(*seconds));
    SLUICE_ASSERT(printed);
    // Four digits are printed, at most three behind the point.
    if (std::isfinite(*seconds))
        SLUICE_ASSERT(std::abs(*printed - *seconds) <= 0.001 + *seconds * 0.001);
    SLUICE_ASSERT(fsd_parse(fsd_format(*seconds, 2)));
}
