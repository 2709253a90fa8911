// --color[=WHEN] of the listing commands (cli.md 0.2): always, never, or when stdout is a terminal.
#pragma once

#include "cmd/cli.hpp"

namespace sluice {

enum class ColorWhen { automatic, always, never };

/// The value of the option; without value "always". Errors: EINVAL naming the choices.
Cli::Apply color_into(ColorWhen& to);
/// Whether to color now: NO_COLOR turns the automatic choice off.
bool use_color(ColorWhen when);

}  // namespace sluice
