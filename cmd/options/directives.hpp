// RFC 36 - "#flux: …" lines in batch scripts: submission options as words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace sluice {

struct Directive {
    int line = 0;  // of the script, from 1
    std::vector<std::string> words;
    friend bool operator==(const Directive&, const Directive&) = default;
};

/// Errors: EINVAL naming the line.
Result<std::vector<Directive>> parse_directives(std::string_view script);

}  // namespace sluice
