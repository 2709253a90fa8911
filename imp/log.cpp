#include "imp/log.hpp"

#include <syslog.h>
#include <unistd.h>

#include "imp/input.hpp"

namespace sluice::imp {

void open_log() {
    ::openlog("flux-imp", LOG_PID, LOG_AUTHPRIV);
}

void tell(const std::string& text) {
    const std::string line = "flux-imp: " + printable(text) + "\n";
    [[maybe_unused]] const ssize_t put = ::write(STDERR_FILENO, line.data(), line.size());
}

void log_grant(const std::string& text) {
    ::syslog(LOG_NOTICE, "granted to uid %u: %s", ::getuid(), printable(text).c_str());
}

void log_refusal(const std::string& text) {
    tell(text);
    ::syslog(LOG_WARNING, "refused to uid %u: %s", ::getuid(), printable(text).c_str());
}

}  // namespace sluice::imp
