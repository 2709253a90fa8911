// RFC 11 - KVS tree objects.
#include "base/rfc/treeobj.hpp"
#include "t/fuzz/fuzz.hpp"

SLUICE_FUZZ(text) {
    using namespace sluice;
    for (const std::string& part : split_key(text)) SLUICE_ASSERT(!part.empty());
    const auto json = parse_json_object(text);
    if (!json) return;
    const auto object = decode_treeobj(*json);
    if (object) fuzz::expect_same(*object, decode_treeobj(encode_treeobj(*object)));
}
