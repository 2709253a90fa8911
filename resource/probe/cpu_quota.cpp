#include "resource/probe/cpu_quota.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>

namespace sluice {
namespace {

std::string first_line(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

/// Path of this process' cgroup: of v2 ("0::PATH"), or of v1's controller cpu.
std::string own_cgroup(std::string_view controller) {
    std::ifstream file("/proc/self/cgroup");
    for (std::string line; std::getline(file, line);) {
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string names = "," + line.substr(first + 1, second - first - 1) + ",";
        const bool wanted = controller.empty()
                                ? names == ",,"
                                : names.find("," + std::string{controller} + ",") != names.npos;
        if (wanted) return line.substr(second + 1);
    }
    return "/";
}

/// In a container the root of the mounted tree is its own group, whatever /proc says.
std::optional<double> quota_at(const std::string& folder) {
    if (const std::string v2 = first_line(folder + "/cpu.max"); !v2.empty())
        return parse_cpu_max(v2);
    const std::string quota = first_line(folder + "/cpu.cfs_quota_us");
    return parse_cpu_max(quota + " " + first_line(folder + "/cpu.cfs_period_us"));
}

}  // namespace

std::optional<double> parse_cpu_max(std::string_view line) {
    const std::size_t blank = line.find(' ');
    if (blank == std::string_view::npos) return std::nullopt;
    const auto number = [](std::string_view text) {
        long long value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        return error == std::errc{} ? value : 0;
    };
    const long long quota = number(line.substr(0, blank)), period = number(line.substr(blank + 1));
    if (quota <= 0 || period <= 0) return std::nullopt;
    return static_cast<double>(quota) / static_cast<double>(period);
}

std::optional<double> cpu_quota() {
    std::optional<double> least;
    for (const std::string& folder :
         {std::string{"/sys/fs/cgroup"}, "/sys/fs/cgroup" + own_cgroup(""),
          std::string{"/sys/fs/cgroup/cpu"}, "/sys/fs/cgroup/cpu" + own_cgroup("cpu")})
        if (const auto found = quota_at(folder)) least = std::min(least.value_or(*found), *found);
    return least;
}

}  // namespace sluice
