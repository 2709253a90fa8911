// RFC 19 - FLUIDs: every form of a decoded id decodes to the id.
#include "base/rfc/fluid.hpp"
#include "t/fuzz/fuzz.hpp"

SLUICE_FUZZ(text) {
    using namespace sluice;
    const auto id = fluid_decode(text);
    if (!id) return;
    for (const FluidForm form : {FluidForm::dec, FluidForm::hex, FluidForm::dothex, FluidForm::kvs,
                                 FluidForm::f58, FluidForm::f58plain})
        fuzz::expect_same(*id, fluid_decode(fluid_encode(*id, form)));
}
