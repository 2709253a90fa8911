#include "broker/log/logger.hpp"

#include <syslog.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <map>

namespace sluice {
namespace {

constexpr int ring_size_max = 1 << 20;  // lines

const std::map<std::string_view, int LogSettings::*> level_attributes{
    {"log-level", &LogSettings::level},
    {"log-forward-level", &LogSettings::forward_level},
    {"log-critical-level", &LogSettings::critical_level},
    {"log-stderr-level", &LogSettings::stderr_level},
    {"log-syslog-level", &LogSettings::syslog_level},
};

Result<int> parse_bounded(std::string_view name, std::string_view value, int min, int max) {
    int number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc{} || end != value.data() + value.size() || number < min || number > max)
        return fail(EINVAL, "{}: '{}' is not a number from {} to {}", name, value, min, max);
    return number;
}

double now_seconds() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration<double>(now).count();
}

}  // namespace

Result<void> set_log_attribute(LogSettings& settings, std::string_view name,
                               std::string_view value) {
    if (const auto found = level_attributes.find(name); found != level_attributes.end()) {
        SLUICE_TRY(settings.*found->second, parse_bounded(name, value, -1, 7));
    } else if (name == "log-stderr-mode") {
        if (value != "leader" && value != "local")
            return fail(EINVAL, "{}: '{}' is not leader or local", name, value);
        settings.stderr_local = value == "local";
    } else if (name == "log-ring-size") {
        SLUICE_TRY(const int size, parse_bounded(name, value, 0, ring_size_max));
        settings.ring_size = static_cast<std::size_t>(size);
    } else if (name == "log-syslog-enable") {
        SLUICE_TRY(settings.syslog, parse_bounded(name, value, 0, 1));
    } else if (name == "log-filename") {
        settings.filename = value;
    } else {
        return fail(ENOENT, "{}: not an attribute of the log", name);
    }
    return {};
}

Result<std::string> get_log_attribute(const LogSettings& settings, std::string_view name) {
    if (const auto found = level_attributes.find(name); found != level_attributes.end())
        return fmt::format("{}", settings.*found->second);
    if (name == "log-stderr-mode") return std::string{settings.stderr_local ? "local" : "leader"};
    if (name == "log-ring-size") return fmt::format("{}", settings.ring_size);
    if (name == "log-syslog-enable") return std::string{settings.syslog ? "1" : "0"};
    if (name == "log-filename" && !settings.filename.empty()) return settings.filename;
    return fail(EINVAL, "{}: not set", name);
}

Logger::~Logger() {
    if (file_) std::fclose(file_);
}

Result<void> Logger::set(std::string_view attribute, std::string_view value) {
    LogSettings changed = settings_;
    SLUICE_CHECK(set_log_attribute(changed, attribute, value));
    if (changed.filename != settings_.filename) SLUICE_CHECK(open_file(changed.filename));
    ring_.resize(changed.ring_size);
    settings_ = std::move(changed);
    return {};
}

Result<void> Logger::open_file(const std::string& path) {
    std::FILE* file = std::fopen(path.c_str(), "ae");
    if (!file) return fail(errno, "log-filename: {}: {}", path, Error{errno}.text());
    std::setvbuf(file, nullptr, _IOLBF, 0);
    if (file_) std::fclose(file_);
    file_ = file;
    return {};
}

void Logger::log(LogLevel level, std::string_view part, std::string text) {
    append({.level = level,
            .timestamp = log_timestamp(now_seconds()),
            .rank = rank_,
            .appname = std::string{part},
            .procid = fmt::format("{}", ::getpid()),
            .text = std::move(text)});
}

void Logger::append(const LogLine& line) {
    ++counts_.local;
    const int level = static_cast<int>(line.level);
    if (level <= settings_.level && settings_.ring_size > 0) {
        std::string text = format_log_line(line);
        if (listener_) listener_(text);
        ring_.push(std::move(text));
    }
    if (settings_.syslog && level <= settings_.syslog_level)
        ::syslog(level, "%s", show_log_line(line).c_str());
    const bool leader = rank_ == 0;
    if (leader) {
        output(line);
    } else {
        if (settings_.stderr_local ? level <= settings_.stderr_level
                                   : level <= settings_.critical_level)
            fmt::print(stderr, "{}\n", show_log_line(line));
        if (forward_ && level <= settings_.forward_level) forward_(line);
    }
}

void Logger::append_forwarded(const LogLine& line) {
    ++counts_.remote;
    output(line);
}

void Logger::output(const LogLine& line) {
    const int level = static_cast<int>(line.level);
    const bool here = line.rank == rank_;
    const bool wanted = level <= settings_.stderr_level && (here || !settings_.stderr_local);
    if (wanted || (here && level <= settings_.critical_level))
        fmt::print(stderr, "{}\n", show_log_line(line));
    if (file_ && level <= settings_.level)
        fmt::print(file_, "{} {}\n", line.timestamp, show_log_line(line));
}

}  // namespace sluice
