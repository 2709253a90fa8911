#include "shell/run/sysmon.hpp"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <utility>

#include "base/config_path.hpp"

namespace sluice::shell {
namespace {

/// The folder of our cgroup: the line "0::/PATH" of /proc/self/cgroup.
std::string cgroup_folder() {
    const auto text = read_text_file("/proc/self/cgroup");
    if (!text) return {};
    const std::size_t at = text->find("0::/");
    if (at == text->npos) return {};
    const std::size_t begin = at + 3;
    return "/sys/fs/cgroup" + text->substr(begin, text->find('\n', begin) - begin);
}

std::optional<std::uint64_t> number_after(const std::string& text, std::string_view key) {
    const std::size_t at = text.find(key);
    if (at == text.npos) return std::nullopt;
    std::uint64_t value = 0;
    const char* begin = text.data() + at + key.size();
    if (std::from_chars(begin, text.data() + text.size(), value).ec != std::errc{})
        return std::nullopt;
    return value;
}

std::optional<std::uint64_t> number_in(const std::string& path) {
    const auto text = read_text_file(path);
    return text ? number_after(*text, "") : std::nullopt;
}

std::string size_text(std::uint64_t bytes) {
    constexpr std::string_view units = "KMGT";
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 1024 && unit < units.size()) {
        value /= 1024;
        ++unit;
    }
    return unit == 0 ? fmt::format("{}", bytes) : fmt::format("{:.2f}{}", value, units[unit - 1]);
}

}  // namespace

Sysmon::Sysmon(boost::asio::io_context& io, std::optional<double> period, Report report)
    : timer_(io), period_(period), report_(std::move(report)), folder_(cgroup_folder()) {}

std::optional<Sysmon::Sample> Sysmon::sample() const {
    const auto text = read_text_file(folder_ + "/cpu.stat");
    const auto cpu = text ? number_after(*text, "usage_usec ") : std::nullopt;
    if (!cpu) return std::nullopt;
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return Sample{std::chrono::duration<double>(now).count(), *cpu};
}

void Sysmon::begin() {
    if (folder_.empty())
        return report_.warn("no cgroup v2 of this shell in /proc/self/cgroup (disabled)");
    first_ = previous_ = sample();
    if (!first_) report_.warn(fmt::format("no cpu.stat in {}: no load is told", folder_));
    if (!number_in(folder_ + "/memory.current"))
        report_.warn(fmt::format("no memory.current in {}: no memory is told", folder_));
    arm();
}

void Sysmon::arm() {
    if (!period_) return;
    timer_.expires_after(std::chrono::duration_cast<std::chrono::steady_clock::duration>(
        std::chrono::duration<double>(*period_)));
    timer_.async_wait([this](const boost::system::error_code& error) {
        if (error) return;
        tell();
        arm();
    });
}

void Sysmon::tell() {
    if (const auto bytes = number_in(folder_ + "/memory.current"))
        report_.trace("memory.current=" + size_text(*bytes));
    const auto now = sample();
    if (!now || !previous_) return;
    const double load = static_cast<double>(now->cpu_us - previous_->cpu_us) / 1e6 /
                        (now->seconds - previous_->seconds);
    report_.trace(fmt::format("loadavg={:.2f}", load));
    previous_ = now;
}

void Sysmon::end() {
    timer_.cancel();
    if (folder_.empty()) return;
    if (const auto bytes = number_in(folder_ + "/memory.peak"))
        report_.notice("memory.peak=" + size_text(*bytes));
    const auto now = sample();
    if (!now || !first_ || now->seconds <= first_->seconds) return;
    const double load = static_cast<double>(now->cpu_us - first_->cpu_us) / 1e6 /
                        (now->seconds - first_->seconds);
    report_.notice(fmt::format("loadavg-overall={:.2f}", load));
}

}  // namespace sluice::shell
