// flux cgroup path: where the control group of this process is in the file system.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "cmd/cli.hpp"
#include "cmd/commands.hpp"

namespace sluice {

namespace {

/// Where the unified hierarchy is mounted.
Result<std::string> mount_point() {
    std::ifstream mounts("/proc/self/mounts");
    std::string line, device, folder, type;
    while (std::getline(mounts, line)) {
        std::istringstream fields(line);
        if (fields >> device >> folder >> type && type == "cgroup2") return folder;
    }
    return fail(ENOENT, "no cgroup2 file system is mounted");
}

Result<std::string> own_group() {
    std::ifstream groups("/proc/self/cgroup");
    std::string line;
    while (std::getline(groups, line))
        if (line.starts_with("0::")) return line.substr(3);
    return fail(ENOENT, "/proc/self/cgroup names no group of the unified hierarchy");
}

Result<std::string> group_path() {
    SLUICE_TRY(const std::string folder, mount_point());
    SLUICE_TRY(const std::string group, own_group());
    return folder + group;
}

int cmd_cgroup_path(int argc, char** argv) {
    Cli cli("flux-cgroup path", CliStyle::c_tool, "",
            "Print the folder of the control group of this process.");
    if (const auto code = cli.parse(argc, argv)) return *code;
    const auto path = group_path();
    if (!path) return cli.error(path.error().text());
    fmt::print("{}\n", *path);
    return 0;
}

}  // namespace

int cmd_cgroup(int argc, char** argv) {
    static constexpr Command table[] = {{"path", cmd_cgroup_path, "Print the path of the group"}};
    return run_subcommand("flux-cgroup", table, argc, argv);
}

}  // namespace sluice
