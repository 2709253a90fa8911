// RFC 15 - what the setuid helper reads: its input, the pipe of its child, J, its configuration.
#include "base/base64.hpp"
#include "base/rfc/signed_jobspec.hpp"
#include "base/security/secure_config.hpp"
#include "imp/input.hpp"
#include "t/fuzz/fuzz.hpp"

SLUICE_FUZZ(text) {
    using namespace sluice;
    if (const auto j = imp::read_input(text)) {
        for (const char c : *j) SLUICE_ASSERT(c > ' ' && c != '"' && c != '\\');
        const auto parts = split_signed(*j);
        if (parts) (void)read_signed_header(parts->header);
        if (parts) (void)base64_decode(parts->payload);
    }
    if (const auto fields = imp::unpack(text))
        fuzz::expect_same(*fields, imp::unpack(imp::pack(*fields)));
    if (imp::may_pass(text, {"*"})) {
        SLUICE_ASSERT(!text.starts_with("LD_") && !text.starts_with("IFS="));
        SLUICE_ASSERT(text.find('\0') == text.npos);
    }
    for (const char c : imp::printable(text)) SLUICE_ASSERT(static_cast<unsigned char>(c) >= ' ');
    if (const auto envelope = envelope_of(text)) {
        const auto jobspec = base64_decode(split_signed(text)->payload);
        SLUICE_ASSERT(join_signed(*envelope, *jobspec).value_or("") == text);
    }
    SecureConfig config;
    if (config.add(text, "fuzz.toml")) {
        (void)config.strings("exec.allowed-users");
        (void)config.integer("sign.max-ttl");
    }
}
