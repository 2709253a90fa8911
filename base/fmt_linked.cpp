// fmt's own code, compiled in: Debian has no libfmt.a, and loading libfmt.so (and with it
// libstdc++.so) is a third of the time a short command takes.
#include <fmt/format-inl.h>

namespace fmt::detail {

template thousands_sep_result<char> thousands_sep_impl(locale_ref);
template char decimal_point_impl(locale_ref);

}  // namespace fmt::detail
