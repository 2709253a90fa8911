#include "cmd/options/fan_out.hpp"

#include <algorithm>

namespace sluice {
namespace {

const ReplaceableOption* find_replaceable(std::string_view name) {
    const auto& options = replaceable_options();
    const auto found = std::ranges::find(options, name, &ReplaceableOption::name);
    return found == options.end() ? nullptr : &*found;
}

/// As Python shows a list.
std::string list_text(const std::vector<std::string>& texts) {
    std::string out = "[";
    for (const std::string& text : texts)
        out += fmt::format("{}'{}'", out.size() > 1 ? ", " : "", text);
    return out + "]";
}

}  // namespace

Result<PlannedJob> replace_job(const PlannedJob& job, const LookupMaker& lookups) {
    PlannedJob replaced = job;
    for (OptionText& text : replaced.options.texts) {
        const ReplaceableOption* option = find_replaceable(text.name);
        if (!option || text.text.find('{') == std::string::npos) continue;
        // "${NAME}" in an environment rule is the shell's notation, not ours.
        Result<std::string> result = replace_fields(text.text, lookups(), {.keep_variables = true});
        if (!result)
            return result.error().in(fmt::format("Invalid replacement string in {}{}",
                                                 option->prefix, text.text));
        text.text = *std::move(result);
    }
    for (std::string& word : replaced.command) {
        if (word.find('{') == std::string::npos) continue;
        Result<std::string> result = replace_fields(word, lookups());
        if (!result) return fail(EINVAL, "Invalid replacement string in command: '{}'", word);
        word = *std::move(result);
    }
    return replaced;
}

Result<std::optional<Idset>> copy_ids(const SubmitOptions& options) {
    const auto cc = options.last("cc"), bcc = options.last("bcc");
    if (cc && bcc) return fail(EINVAL, "specify only one of --cc or --bcc");
    if (!cc && !bcc) return std::optional<Idset>{};
    const std::string& text = cc ? *cc : *bcc;
    const Result<Idset> ids = Idset::parse(text);
    if (!ids) return fail(EINVAL, "--{}: {}", cc ? "cc" : "bcc", ids.error().text());
    return std::optional<Idset>{*ids};
}

Result<PlannedJob> copy_job(const PlannedJob& job, Idset::Id id) {
    const std::string text = std::to_string(id);
    const LookupMaker lookups = [&text] {
        return [&text](std::string_view field) {
            return field == "cc" ? std::optional<std::string>{text} : std::nullopt;
        };
    };
    SLUICE_TRY(PlannedJob copy, replace_job(job, lookups));
    copy.copy = id;
    if (job.options.last("cc")) copy.options.texts.push_back({"env", "FLUX_JOB_CC=" + text});
    return copy;
}

std::vector<std::string> changed_options(const SubmitOptions& before, const SubmitOptions& after) {
    std::vector<std::string> words;
    for (const ReplaceableOption& option : replaceable_options()) {
        const std::vector<std::string> texts = after.all(option.name);
        const bool copies = option.name == "cc" || option.name == "bcc";
        if (texts.empty() || (texts == before.all(option.name) && !copies)) continue;
        words.push_back(std::string{option.prefix} +
                        (option.is_list ? list_text(texts) : texts.back()));
    }
    return words;
}

}  // namespace sluice
