// RFC 42 - Remote execution: the request of rexec.exec and what it means for a subprocess. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/aio/subprocess.hpp"
#include "base/json.hpp"
#include "base/result.hpp"

namespace sluice {

namespace rexec_flag {
inline constexpr std::int64_t stdout_ = 1, stderr_ = 2, channel = 4, write_credit = 8,
                              waitable = 16;
}
namespace rexec_local_flag {
inline constexpr std::int64_t stdio_fallthrough = 1, no_setpgrp = 2, fork_exec = 4;
}

struct RexecCommand {
    std::string cwd, label;
    std::vector<std::string> cmdline;
    std::map<std::string, std::string> env, opts;
    std::vector<std::string> channels;
};

struct RexecRequest {
    RexecCommand command;
    std::int64_t flags = 0, local_flags = 0;
    bool has(std::int64_t flag) const { return flags & flag; }
};

/// Errors: EPROTO for missing keys, unknown flags or an empty command line.
Result<RexecRequest> decode_rexec(const JsonObject& payload);
JsonObject encode_command(const RexecCommand& command);

/// How the server runs it. `foreground`: a stream of responses carries the output. An empty
/// environment means the server's own; FLUX_URI is always the server's broker.
SubprocessOptions subprocess_options(const RexecRequest& request, bool foreground,
                                     const std::vector<std::string>& server_environment,
                                     const std::string& uri);
/// Bytes the client may write to `stream` before it must wait for credit. Errors: EPROTO.
Result<std::int64_t> buffer_bytes(const RexecCommand& command, const std::string& stream);

}  // namespace sluice
