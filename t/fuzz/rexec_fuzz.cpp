// RFC 42 - the request of rexec.exec.
#include "base/rexec/command.hpp"
#include "t/fuzz/fuzz.hpp"

SLUICE_FUZZ(text) {
    using namespace sluice;
    const auto json = parse_json_object(text);
    if (!json) return;
    const auto request = decode_rexec(*json);
    if (!request) return;
    SLUICE_ASSERT(!request->command.cmdline.empty());
    (void)subprocess_options(*request, true, {"PATH=/bin"}, "local:///run/flux/local");
    (void)buffer_bytes(request->command, "stdin");
    JsonObject again = *json;
    again["cmd"] = encode_command(request->command);
    const auto second = decode_rexec(again);
    SLUICE_ASSERT(second && second->command.cmdline == request->command.cmdline);
    SLUICE_ASSERT(second->command.env == request->command.env);
}
