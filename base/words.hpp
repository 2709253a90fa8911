// Lists in text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice {

/// "a,-b" split at the commas (or another separator); empty words are left out.
std::vector<std::string> split_words(std::string_view text, char separator = ',');

}  // namespace sluice
