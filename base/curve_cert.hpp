// CURVE certificates: a key pair with metadata in a small subset of ZPL (wire.md 1.6), as `flux
// keygen` and CZMQ write them. Parsing is pure; load() looks at the file.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/crypto.hpp"
#include "base/result.hpp"

namespace sluice {

struct CurveCert {
    std::vector<std::pair<std::string, std::string>> metadata;  // in order, "name" among them
    CurveKeys keys;

    /// A new key pair.
    static CurveCert generate();
    /// Errors: EINVAL naming the line, or the part that is missing.
    static Result<CurveCert> parse(std::string_view text);
    std::string to_string() const;
    /// Reads the file at `path`. Errors: naming the path; EPERM when group or others may read it;
    /// EINVAL bad content, or a public key that does not belong to the secret one.
    static Result<CurveCert> load(const std::string& path);
    /// Writes the file with mode 0600. Errors: naming the path.
    Result<void> save(const std::string& path) const;
    /// The name for log lines.
    std::string_view name() const;
};

}  // namespace sluice
