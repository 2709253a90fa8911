#include "base/result.hpp"

#include <cstring>

namespace sluice {

std::string Error::text() const {
    return text_.empty() ? std::string{::strerror(errnum_)} : text_;
}

Error Error::in(std::string_view prefix) const {
    return Error{errnum_, fmt::format("{}: {}", prefix, text())};
}

}  // namespace sluice
