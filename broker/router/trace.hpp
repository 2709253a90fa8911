// A look at messages as they pass: at a service (module.trace), or between brokers (overlay.trace).
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/rfc/message.hpp"

namespace sluice {

struct MessageTrace {
    enum class Way { received, sent } way;
    std::string_view service;  // "" between brokers
    std::int64_t rank;         // of the peer; -1 for a service, and for all children
    const Message& message;
};

/// Empty while nobody looks.
using TraceHook = std::function<void(const MessageTrace&)>;

}  // namespace sluice
