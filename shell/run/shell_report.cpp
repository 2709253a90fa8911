// What a shell tells about its settings: warnings always, the rest as its option verbose wants.
#include <string.h>

#include "shell/run/shell_parts.hpp"

namespace sluice::shell {
namespace {

std::string signal_name(int signum) {
    const char* name = ::sigabbrev_np(signum);
    return name ? fmt::format("SIG{}", name) : std::to_string(signum);
}

}  // namespace

void Shell::tell_settings() {
    if (info_.leader()) {
        if (options_.verbose_clamped) warn("", "Ignoring shell verbosity > 2");
        if (options_.coprocess)
            warn("coprocess", "this shell starts no coprocesses; the job runs without them");
        for (const auto& [name, soft] : options_.rlimits)
            if (above_hard_limit(rlimit_resource(name), soft))
                warn("rlimit", fmt::format("{} exceeds current max, raising value to hard limit",
                                           name));
    }
    tell_affinity();
    if (options_.verbose == 0) return;
    if (options_.pmi) debug("pmi-simple", "simple wire protocol is enabled");
    debug("output.kvs", fmt::format("batch timeout = {:.3f}s", options_.batch_timeout));
    const ResourceSet::Node& node = info_.node();
    debug("", fmt::format("{}: task_count={} of {}, cores={}, gpus={}", info_.shell_rank,
                          plan_.ranks.size(), plan_.ntasks, node.cores.to_string(),
                          node.gpus.to_string()));
    for (std::size_t i = 0; i < plan_.ranks.size() && !cpus_.empty(); ++i)
        debug("", fmt::format("{}: task {} on cpus {}", info_.shell_rank, plan_.ranks[i],
                              cpus_[i].to_string()));
}

void Shell::tell_affinity() {
    if (affinity_.verbose && !cpus_.empty()) {
        Idset all;
        for (const Idset& cpus : cpus_) all |= cpus;
        notice("cpu-affinity", fmt::format("cpus: {}", all.to_string()));
        if (affinity_.mode != AffinityOptions::Mode::on)
            for (std::size_t i = 0; i < cpus_.size(); ++i)
                notice("cpu-affinity",
                       fmt::format("task {}: cpus: {}", plan_.ranks[i], cpus_[i].to_string()));
    }
    if (affinity_.dry_run) cpus_.clear();
}

void Shell::tell_signal() {
    notice("signal",
           fmt::format("job will expire in {:.1f}s, sending {} to job",
                       options_.signal->timeleft, signal_name(options_.signal->signum)));
}

void Shell::debug(std::string_view component, std::string message) {
    if (options_.verbose > 0)
        output_->log({LogLevel::debug, std::string{component}, std::move(message)});
}

void Shell::notice(std::string_view component, std::string message) {
    output_->log({LogLevel::notice, std::string{component}, std::move(message)});
}

void Shell::warn(std::string_view component, std::string message) {
    output_->log({LogLevel::warning, std::string{component}, std::move(message)});
}

}  // namespace sluice::shell
