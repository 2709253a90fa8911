// RFC 37 - archives: no path leaves the folder that it is extracted to.
#include "base/rfc/file_object.hpp"
#include "t/fuzz/fuzz.hpp"

SLUICE_FUZZ(text) {
    using namespace sluice;
    const auto archive = decode_archive(text);
    if (!archive) return;
    for (const FileObject& object : *archive) {
        SLUICE_ASSERT(!object.path.starts_with('/'));
        SLUICE_ASSERT(("/" + object.path + "/").find("/../") == std::string::npos);
        fuzz::expect_same(object, decode_file_object(encode_file_object(object)));
    }
}
