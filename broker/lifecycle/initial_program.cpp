#include "broker/lifecycle/initial_program.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace sluice {
namespace {

constexpr std::array<std::string_view, 12> unset_names{
    "FLUX_JOB_ID",     "FLUX_ENCLOSING_ID",  "FLUX_JOB_SIZE",      "FLUX_JOB_NNODES",
    "FLUX_JOB_TMPDIR", "FLUX_TASK_RANK",     "FLUX_TASK_LOCAL_ID", "FLUX_URI",
    "FLUX_KVS_NAMESPACE", "FLUX_PROXY_REMOTE", "FLUX_PMI_LIBRARY_PATH", "FLUX_JOB_ID_PATH",
};
constexpr std::array<std::string_view, 2> more_unset_names{"I_MPI_PMI_LIBRARY", "NOTIFY_SOCKET"};
constexpr std::array<std::string_view, 4> unset_prefixes{"PMI_", "PMIX_", "SLURM_", "PALS_"};

bool unset(std::string_view name) {
    return std::ranges::find(unset_names, name) != unset_names.end() ||
           std::ranges::find(more_unset_names, name) != more_unset_names.end() ||
           std::ranges::any_of(unset_prefixes,
                               [&](std::string_view prefix) { return name.starts_with(prefix); });
}

bool is_login_shell(const std::string& word) {
    ::setusershell();
    bool found = false;
    while (const char* entry = ::getusershell()) {
        const std::string_view shell = entry;
        found = found || shell == word || shell.substr(shell.rfind('/') + 1) == word;
    }
    ::endusershell();
    return found;
}

bool is_program_file(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
           ::access(path.c_str(), R_OK | X_OK) == 0;
}

}  // namespace

ProgramSurroundings program_surroundings() {
    const char* shell = std::getenv("SHELL");
    return {shell && *shell ? shell : "/bin/bash", is_login_shell, is_program_file};
}

InitialProgram plan_initial_program(const std::vector<std::string>& words,
                                    const ProgramSurroundings& around) {
    if (words.empty()) return {{around.shell}, around.shell, true};
    std::string shown;
    for (const std::string& word : words) shown += (shown.empty() ? "" : " ") + word;
    if (words.size() > 1) return {words, shown, false};
    const std::string& word = words[0];
    if (around.is_login_shell(word)) return {words, shown, true};
    const bool blank = word.find_first_of(" \t\n") != std::string::npos;
    if (!blank && around.is_program_file(word)) return {words, shown, false};
    return {{around.shell, "-c", word}, around.shell + " -c " + word, false};
}

std::vector<std::string> program_environment(const std::vector<std::string>& environment,
                                             std::string_view local_uri,
                                             const std::optional<std::string>& jobid) {
    std::vector<std::string> cleaned;
    for (const std::string& entry : environment)
        if (!unset(std::string_view{entry}.substr(0, entry.find('=')))) cleaned.push_back(entry);
    cleaned.push_back("FLUX_URI=" + std::string{local_uri});
    if (jobid) cleaned.push_back("FLUX_ENCLOSING_ID=" + *jobid);
    return cleaned;
}

}  // namespace sluice
