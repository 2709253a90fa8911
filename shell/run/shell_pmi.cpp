// The PMI services of a shell, as its option pmi wants them.
#include <algorithm>

#include "shell/run/mpi_probe.hpp"
#include "shell/run/shell_parts.hpp"

namespace sluice::shell {

Result<void> Shell::start_pmi() {
    // As in the reference the note has the code; the job has it only when nobody else is stopped.
    const auto on_pmi_1_abort = [this](const std::string& note, int code) {
        if (plan_.ntasks == 1) on_abort(note, code);
        else on(action::Raise{note, {}});
    };
    if (options_.pmi)
        pmi_.emplace(PmiServer::Parts{
            info_, options_, plan_, handle_, on_pmi_1_abort, [this](const std::string& text) {
                perform(fsm_->on_fatal({LogLevel::fatal, "pmi-simple", text}));
            }});
    if (!options_.pmix) return {};
    const auto on_pmix_abort = [this](const std::string& note, int code) { on_abort(note, code); };
    pmix_.emplace(PmixServer::Parts{info_, options_, plan_, handle_, folder_->path(), on_pmix_abort,
                                    [this](std::uint32_t) { pmix_used_ = true; }});
    return pmix_->start();
}

/// Looks who the tasks are, in case they are ranks of MPI that do not find each other.
void Shell::watch_for_mpi() {
    if (!info_.leader() || plan_.ntasks < 2 || tasks_.empty()) return;
    program_ = program_of(tasks_.front()->pid());
    probe_timer_.expires_after(std::chrono::seconds{1});
    probe_timer_.async_wait([this](const boost::system::error_code& error) {
        if (!error) mpi_loaded_ = has_loaded_mpi(tasks_.front()->pid());
    });
}

/// Told once, when the first task has ended by itself and nobody has spoken PMI.
void Shell::hint_at_pmi(const TaskExit& exit) {
    const std::string program = std::exchange(program_, {});
    if (program.empty() || exit.signaled() || pmix_used_ || (pmi_ && pmi_->used())) return;
    if (!mpi_loaded_ && !links_mpi(program)) return;
    std::string_view cure = "leave out -o pmi=off";
    if (options_.pmi && !options_.pmix)
        cure = "Open MPI 5 and other PMIx programs need -o pmi=pmix";
    if (options_.pmix && !options_.pmi) cure = "MPICH and its kin need -o pmi=simple, the default";
    if (options_.pmi && options_.pmix) cure = "it was built for another launcher than PMI or PMIx";
    warn("pmi", fmt::format("{} is an MPI program, but none of its {} tasks asked for its rank: "
                            "each may have run alone, as rank 0 of 1; {}",
                            program.substr(program.rfind('/') + 1), plan_.ntasks, cure));
}

/// The job ends as if the program had exited with the code; one that no process can exit with is a
/// failure.
void Shell::on_abort(const std::string& note, int code) {
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
