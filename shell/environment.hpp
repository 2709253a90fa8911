// The environment of a task (cli.md 7): the submitter's variables, then what the shell sets.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "shell/launch_info.hpp"
#include "shell/mustache.hpp"
#include "shell/options.hpp"

namespace sluice::shell {

using Environment = std::map<std::string, std::string>;

struct JobEnvironment {
    std::string tmpdir;       // FLUX_JOB_TMPDIR
    std::string pmi_library;  // path of libpmi.so
    std::uint32_t ntasks = 1;
};
/// What all tasks of a shell share.
Environment job_environment(const LaunchInfo& info, const ShellOptions& options,
                            const JobEnvironment& job);

struct TaskEnvironment {
    std::uint32_t rank = 0, localid = 0;
    int pmi_fd = -1;          // -1: no PMI
    std::string gpu_devices;  // "2,3" or "-1" (none); empty: leave the variables as they are
};
/// "NAME=value" entries of one task.
std::vector<std::string> task_environment(Environment shared, const ShellOptions& options,
                                          const MustacheValues& values, const TaskEnvironment& task,
                                          std::uint32_t ntasks);

}  // namespace sluice::shell
