#include "broker/lifecycle/run_archive.hpp"

#include <ctime>
#include <filesystem>
#include <system_error>

#include "base/paths.hpp"

namespace sluice {
namespace {

namespace fs = std::filesystem;

/// Folder of the "auto" archives: in a statedir that stays, else in the working directory.
fs::path auto_folder(const Attributes& attributes) {
    const bool stays = attributes.get_or("statedir-cleanup", "0") == "0";
    return fs::path{stays ? attributes.get_or("statedir", ".") : "."} / "dump";
}

std::string local_time() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    ::localtime_r(&now, &parts);
    char text[sizeof "20260101_000000"];
    return std::string(text, std::strftime(text, sizeof text, "%Y%m%d_%H%M%S", &parts));
}

StageCommand archive_command(std::vector<std::string> words, const std::string& file) {
    words.push_back(file);
    std::string shown = "flux";
    for (const std::string& word : words) shown += " " + word;
    words.insert(words.begin(), flux_command());
    return {std::move(words), std::move(shown), false};
}

}  // namespace

std::optional<ArchivePlan> plan_restore(const Attributes& attributes) {
    ArchivePlan plan{.file = attributes.get_or("content.restore", ""), .link = {}, .command = {}};
    std::error_code error;
    if (plan.file.empty()) return std::nullopt;
    if (plan.file == "auto") {
        const fs::path link = auto_folder(attributes) / "RESTORE";
        if (!fs::is_symlink(link, error)) return std::nullopt;
        plan.link = link;
        plan.file = fs::weakly_canonical(link, error);
    }
    if (!fs::exists(plan.file, error)) return std::nullopt;
    plan.command = archive_command({"restore", "--quiet", "--checkpoint", "--size-limit=100M"},
                                   plan.file);
    return plan;
}

void finish_restore(const ArchivePlan& plan) {
    std::error_code error;
    if (!plan.link.empty()) fs::remove(plan.link, error);
}

Result<std::optional<ArchivePlan>> plan_dump(const Attributes& attributes) {
    ArchivePlan plan{.file = attributes.get_or("content.dump", ""), .link = {}, .command = {}};
    if (plan.file.empty()) return std::optional<ArchivePlan>{};
    if (plan.file == "auto") {
        const fs::path folder = auto_folder(attributes);
        std::error_code error;
        fs::create_directories(folder, error);
        if (error) return fail(error.value(), "content.dump: {}: {}", folder.string(),
                               error.message());
        plan.file = folder / (local_time() + ".tgz");
        plan.link = folder / "RESTORE";
    }
    plan.command = archive_command({"dump", "--quiet", "--ignore-failed-read", "--no-cache",
                                    "--maxreqs=128", "--checkpoint"},
                                   plan.file);
    return std::optional{std::move(plan)};
}

Result<void> finish_dump(const ArchivePlan& plan) {
    if (plan.link.empty()) return {};
    std::error_code error;
    fs::remove(plan.link, error);
    fs::create_symlink(fs::path{plan.file}.filename(), plan.link, error);
    if (error) return fail(error.value(), "content.dump: {}: {}", plan.link, error.message());
    return {};
}

}  // namespace sluice
