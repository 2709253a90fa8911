#include "cmd/instance.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace sluice {

std::optional<Handle> open_tool(std::string_view tool) {
    Result<Handle> flux = Handle::open();
    if (flux) return std::move(*flux);
    const Error& error = flux.error();
    // An unknown scheme is a connector that was not found.
    const int errnum = error.errnum() == EINVAL ? ENOENT : error.errnum();
    fmt::print(stderr, "{}: flux_open: {}\n", tool,
               errnum == ENAMETOOLONG ? error.text() : Error{errnum}.text());
    return std::nullopt;
}

std::optional<Handle> open_builtin() {
    return open_tool("flux");
}

Result<Hostlist> instance_hosts(Handle& flux) {
    SLUICE_TRY(const std::string text, flux.attr("hostlist"));
    return Hostlist::parse(text);
}

std::string errno_text(const Error& error) {
    return Error{error.errnum()}.text();
}

}  // namespace sluice
