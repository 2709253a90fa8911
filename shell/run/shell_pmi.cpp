// The PMI services of a shell, as its option pmi wants them.
#include <algorithm>

#include "shell/run/shell_parts.hpp"

namespace sluice::shell {

Result<void> Shell::start_pmi() {
    const auto on_abort = [this](const std::string& note, int code) { on_pmi_abort(note, code); };
    if (options_.pmi)
        pmi_.emplace(PmiServer::Parts{
            info_, options_, plan_, handle_, on_abort, [this](const std::string& text) {
                perform(fsm_->on_fatal({LogLevel::fatal, "pmi-simple", text}));
            }});
    if (!options_.pmix) return {};
    pmix_.emplace(PmixServer::Parts{info_, options_, plan_, handle_, folder_->path(), on_abort,
                                    [](std::uint32_t) {}});
    return pmix_->start();
}

/// The job ends as if the program had exited with the code; one that no process can exit with is a
/// failure.
void Shell::on_pmi_abort(const std::string& note, int code) {
    constexpr int code_max = 255;
    on(action::Raise{note, (code > 0 && code <= code_max ? code : 1) << 8});
}

/// libpmix' variables take the place of those that an instance around this one may have left.
Result<void> Shell::add_pmix_environment(TaskSpawn& spawn, std::uint32_t rank) const {
    SLUICE_TRY(const std::vector<std::string> entries, pmix_->environment(rank));
    std::erase_if(spawn.environment, [](const std::string& it) { return it.starts_with("PMIX_"); });
    spawn.environment.insert(spawn.environment.end(), entries.begin(), entries.end());
    return {};
}

}  // namespace sluice::shell
