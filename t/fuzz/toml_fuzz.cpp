// TOML: any text is a document or an error that names the place.
#include "base/toml.hpp"
#include "t/fuzz/fuzz.hpp"

SLUICE_FUZZ(text) {
    using namespace sluice;
    const auto document = parse_toml_document(text, "x.toml");
    if (!document)
        SLUICE_ASSERT(document.error().text().starts_with("x.toml"));
    else
        fuzz::expect_same(document->root, parse_toml(text, "x.toml"));
}
