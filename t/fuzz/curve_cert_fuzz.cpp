// CURVE certificates in ZPL.
#include "base/curve_cert.hpp"
#include "t/fuzz/fuzz.hpp"

SLUICE_FUZZ(text) {
    using namespace sluice;
    const auto cert = CurveCert::parse(text);
    if (!cert) return;
    const auto again = CurveCert::parse(cert->to_string());
    SLUICE_ASSERT(again && again->metadata == cert->metadata);
    SLUICE_ASSERT(again->to_string() == cert->to_string());
}
