// What the broker runs as its initial program and scripts, and in which environment (cli.md 4.2).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

struct InitialProgram {
    std::vector<std::string> argv;
    std::string shown;         // its words as the log shows them
    bool interactive = false;  // a login shell: stdin must be a terminal
    friend bool operator==(const InitialProgram&, const InitialProgram&) = default;
};

/// What the decision depends on outside of the words.
struct ProgramSurroundings {
    std::string shell;                                         // $SHELL or /bin/bash
    std::function<bool(const std::string&)> is_login_shell;    // full path or basename
    std::function<bool(const std::string&)> is_program_file;   // regular, readable, executable
};
/// The surroundings of this process.
ProgramSurroundings program_surroundings();

/// No word or the name of a shell: an interactive shell. One word that is no program file: text
/// for the shell. Otherwise the words themselves.
InitialProgram plan_initial_program(const std::vector<std::string>& words,
                                    const ProgramSurroundings& around);

/// `environment` without what belongs to the broker's own surroundings (enclosing job, PMI, …), and
/// with FLUX_URI, and FLUX_ENCLOSING_ID when the instance is a job.
std::vector<std::string> program_environment(const std::vector<std::string>& environment,
                                             std::string_view local_uri,
                                             const std::optional<std::string>& jobid);

}  // namespace sluice
