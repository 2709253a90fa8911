#include "cmd/options/fan_out.hpp"

#include <algorithm>

namespace sluice {
namespace {

bool is_replaceable(std::string_view name) {
    return std::ranges::any_of(replaceable_options(), [&](const ReplaceableOption& option) {
        return option.name == name;
    });
}

}  // namespace

Result<PlannedJob> replace_job(const PlannedJob& job, const LookupMaker& lookups) {
    PlannedJob replaced = job;
    for (OptionText& text : replaced.options.texts) {
        if (text.text.find('{') == std::string::npos || !is_replaceable(text.name)) continue;
        // "${NAME}" in an environment rule is the shell's notation, not ours.
        Result<std::string> result = replace_fields(text.text, lookups(), {.keep_variables = true});
        if (!result)
            return fail(EINVAL, "Invalid replacement string in --{}: '{}'", text.name, text.text);
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
        const std::vector<std::string> old_texts = before.all(option.name);
        const std::vector<std::string> texts = after.all(option.name);
        for (std::size_t i = 0; i < texts.size(); ++i)
            if (i >= old_texts.size() || texts[i] != old_texts[i])
                words.push_back(std::string{option.prefix} + texts[i]);
    }
    return words;
}

}  // namespace sluice
