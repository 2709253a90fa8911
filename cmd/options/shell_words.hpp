// Words as a POSIX shell splits them, without expansion.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace sluice {

/// A "#" at the start of a word begins a comment. Errors: EINVAL "No closing quotation" or
/// "No escaped character".
Result<std::vector<std::string>> split_shell_words(std::string_view text);
/// The word as it is if a shell would read it so, else in single quotes.
std::string quote_shell_word(std::string_view word);

}  // namespace sluice
