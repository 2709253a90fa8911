#include "cmd/format/uptime_text.hpp"

#include <fmt/format.h>

#include "base/rfc/fsd.hpp"

namespace sluice {

std::string uptime_text(const UptimeFacts& facts) {
    constexpr int digits = 2;
    std::string text =
        fmt::format(" {} {} {},  owner {},  depth {},  size {}", facts.time, facts.state,
                    fsd_format(facts.seconds, digits), facts.owner, facts.depth, facts.size);
    if (facts.drained) text += fmt::format(",  {} drained", facts.drained);
    if (facts.offline) text += fmt::format(",  {} offline", facts.offline);
    text += '\n';
    if (facts.submit_disabled) text += "  submit disabled";
    if (facts.scheduler_stopped)
        text += facts.submit_disabled ? ",  scheduler stopped" : "  scheduler stopped";
    if (facts.submit_disabled || facts.scheduler_stopped) text += '\n';
    return text;
}

}  // namespace sluice
