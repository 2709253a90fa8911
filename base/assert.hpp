// SLUICE_ASSERT guards our own logic, never input; it stays on in release builds.
#pragma once

namespace sluice {
[[noreturn]] void assertion_failed(const char* expression, const char* file, int line);
}

#define SLUICE_ASSERT(expression) \
    ((expression) ? void(0) : ::sluice::assertion_failed(#expression, __FILE__, __LINE__))
