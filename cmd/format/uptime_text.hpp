// The one or two lines of `flux uptime` (cli.md 3.6). Pure.
#pragma once

#include <cstdint>
#include <string>

namespace sluice {

struct UptimeFacts {
    std::string time;    // of day, HH:MM:SS
    std::string state;   // "run" or a state on the way
    double seconds = 0;  // since the start, or in the state
    std::string owner, depth;
    std::uint32_t size = 1;
    std::size_t drained = 0, offline = 0;
    bool submit_disabled = false, scheduler_stopped = false;
};

std::string uptime_text(const UptimeFacts& facts);

}  // namespace sluice
