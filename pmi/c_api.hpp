// Shared by the two C libraries: the one connection of a process, and how results cross the C
// boundary.
#pragma once

#include <cstring>
#include <optional>

#include "pmi/simple_client.hpp"

#define SLUICE_PMI_EXPORT extern "C" __attribute__((visibility("default")))

namespace sluice::pmi {

/// The connection of this process; empty before init and after finalize.
inline std::optional<SimpleClient>& process_client() {
    static std::optional<SimpleClient> client;
    return client;
}

/// Calls `action` with the connection, or fails with "not initialised".
template <class Action>
int with_client(Action action) {
    auto& client = process_client();
    return client ? action(*client) : static_cast<int>(Status::not_initialised);
}

inline int code(Status status) {
    return static_cast<int>(status);
}
inline int code(const Error& error) {
    return code(to_status(error));
}
inline int code(const Result<void>& result) {
    return result ? 0 : code(result.error());
}

/// Copies `text` into a caller's buffer. `length` status when it does not fit.
inline int copy_out(std::string_view text, char* to, int length) {
    if (!to) return code(Status::bad_argument);
    if (length < 0 || text.size() >= static_cast<std::size_t>(length)) return code(Status::length);
    std::memcpy(to, text.data(), text.size());
    to[text.size()] = '\0';
    return 0;
}
inline int copy_out(const Result<std::string>& text, char* to, int length) {
    return text ? copy_out(std::string_view{*text}, to, length) : code(text.error());
}
inline int copy_out(const Result<int>& number, int* to) {
    if (!to) return code(Status::bad_argument);
    if (!number) return code(number.error());
    *to = *number;
    return 0;
}

}  // namespace sluice::pmi
