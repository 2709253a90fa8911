#include "cmd/color.hpp"

#include <unistd.h>

#include <cstdlib>

namespace sluice {

Cli::Apply color_into(ColorWhen& to) {
    return [&to](std::optional<std::string> value) -> Result<void> {
        const std::string when = value.value_or("always");
        if (when == "always")
            to = ColorWhen::always;
        else if (when == "never")
            to = ColorWhen::never;
        else if (when == "auto")
            to = ColorWhen::automatic;
        else
            return fail(EINVAL, "invalid argument for --color: '{}'; use always, never or auto",
                        when);
        return {};
    };
}

bool use_color(ColorWhen when) {
    if (when != ColorWhen::automatic) return when == ColorWhen::always;
    const char* no_color = std::getenv("NO_COLOR");
    return !(no_color && *no_color) && ::isatty(STDOUT_FILENO);
}

}  // namespace sluice
