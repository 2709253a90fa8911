#include "cmd/job/signal_name.hpp"

#include <charconv>
#include <csignal>
#include <cstring>
#include <string>

namespace sluice {

Result<int> parse_signal(std::string_view text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc{} && end == text.data() + text.size()) return number;
    std::string name{text};
    for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (name.starts_with("SIG")) name.erase(0, 3);
    for (int signal = 1; signal < NSIG; ++signal) {
        const char* abbreviation = ::sigabbrev_np(signal);
        if (abbreviation && name == abbreviation) return signal;
    }
    return fail(EINVAL, "Invalid signal {}", text);
}

}  // namespace sluice
