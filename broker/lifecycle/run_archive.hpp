// The archives of the KVS that attributes ask for: content.restore is read before the KVS starts,
// content.dump is written after it has stopped (cli.md 4.3, flux-shutdown(1)). "auto" stands for a
// new file in STATEDIR/dump and the link RESTORE to the latest one.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "broker/config/attributes.hpp"
#include "broker/lifecycle/command_list.hpp"

namespace sluice {

struct ArchivePlan {
    std::string file;
    std::string link;  // removed after the restore, made after the dump; empty: none
    StageCommand command;
};

/// nullopt when there is nothing to restore.
std::optional<ArchivePlan> plan_restore(const Attributes& attributes);
void finish_restore(const ArchivePlan& plan);

/// nullopt when no dump is wanted. Makes the folder of "auto". Errors: naming the folder.
Result<std::optional<ArchivePlan>> plan_dump(const Attributes& attributes);
/// Errors: naming the link.
Result<void> finish_dump(const ArchivePlan& plan);

}  // namespace sluice
