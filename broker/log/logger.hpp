// The log of a broker: lines of our own parts and of clients go into the ring buffer, and by their
// level to stderr, the log file and the lead broker. There from the first moment of the broker, so
// that start-up errors are seen too. Attributes log-* are its settings (wire.md 2.12).
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/log_line.hpp"
#include "base/result.hpp"
#include "broker/log/ring_buffer.hpp"

namespace sluice {

struct LogSettings {
    int level = 7;           // log-level: what is kept in the ring buffer
    int forward_level = 3;   // log-forward-level: what followers send to rank 0
    int critical_level = 2;  // log-critical-level: shown on the local stderr whatever else is set
    int stderr_level = 3;    // log-stderr-level: what rank 0 (or each broker, mode local) prints
    bool stderr_local = false;     // log-stderr-mode: local, else leader
    std::string filename;          // log-filename (rank 0)
    std::size_t ring_size = 1024;  // log-ring-size, lines
    bool syslog = false;           // log-syslog-enable
    int syslog_level = 3;          // log-syslog-level
    friend bool operator==(const LogSettings&, const LogSettings&) = default;
};

/// The setting that attribute `name` ("log-…") stands for.
/// Errors: ENOENT not a log attribute, EINVAL with the values allowed.
Result<void> set_log_attribute(LogSettings& settings, std::string_view name,
                               std::string_view value);
/// The value of attribute `name` as text; EINVAL for log-filename not set and unknown names.
Result<std::string> get_log_attribute(const LogSettings& settings, std::string_view name);

class Logger {
  public:
    explicit Logger(LogSettings settings = {}) : settings_(std::move(settings)) {}
    ~Logger();
    Logger(const Logger&) = delete;

    void set_rank(std::uint32_t rank) { rank_ = rank; }
    const LogSettings& settings() const { return settings_; }
    /// Errors: as set_log_attribute; the file's errno when log-filename cannot be opened.
    Result<void> set(std::string_view attribute, std::string_view value);

    /// A line of part `part` ("broker", "overlay", "job-manager"): Logger::err("overlay", "…", x).
    void log(LogLevel level, std::string_view part, std::string text);
    template <class... Args>
    void err(std::string_view part, fmt::format_string<Args...> format, Args&&... args) {
        log(LogLevel::err, part, fmt::format(format, std::forward<Args>(args)...));
    }
    template <class... Args>
    void warning(std::string_view part, fmt::format_string<Args...> format, Args&&... args) {
        log(LogLevel::warning, part, fmt::format(format, std::forward<Args>(args)...));
    }
    template <class... Args>
    void info(std::string_view part, fmt::format_string<Args...> format, Args&&... args) {
        log(LogLevel::info, part, fmt::format(format, std::forward<Args>(args)...));
    }
    template <class... Args>
    void debug(std::string_view part, fmt::format_string<Args...> format, Args&&... args) {
        log(LogLevel::debug, part, fmt::format(format, std::forward<Args>(args)...));
    }

    /// A line made here, or by a client of this broker.
    void append(const LogLine& line);
    /// A line of another rank, forwarded to us (rank 0): stderr and file only, not the ring.
    void append_forwarded(const LogLine& line);

    /// Set by the log service: sends a line to rank 0; called on followers only.
    void set_forward(std::function<void(const LogLine&)> forward) { forward_ = std::move(forward); }
    /// Set by the log service: sees each line that enters the ring buffer.
    void set_listener(std::function<void(const std::string&)> listener) {
        listener_ = std::move(listener);
    }
    /// Lines seen so far: of this broker and its clients, and forwarded by other ranks.
    struct Counts {
        std::int64_t local = 0, remote = 0;
    };
    const Counts& counts() const { return counts_; }
    /// The lines `flux dmesg` shows.
    RingBuffer& ring() { return ring_; }

  private:
    void output(const LogLine& line);
    Result<void> open_file(const std::string& path);

    LogSettings settings_;
    std::uint32_t rank_ = 0;
    Counts counts_;
    RingBuffer ring_{settings_.ring_size};
    std::FILE* file_ = nullptr;
    std::function<void(const LogLine&)> forward_;
    std::function<void(const std::string&)> listener_;
};

}  // namespace sluice
