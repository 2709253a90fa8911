// The manual page of a command: shown by man(1) on a terminal, else printed as text.
#pragma once

#include <string_view>

namespace sluice {

/// Shows the page `name` ("flux-jobs") and does not return when man(1) takes over; true when its
/// text was printed, false when there is no such page.
bool show_manual(std::string_view name);

}  // namespace sluice
