// Options of the submission commands (run, submit, bulksubmit, batch, alloc) as typed: texts are
// kept in command-line order and read late, because --cc, bulksubmit inputs and batch directives
// change or add to them before they mean anything.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cmd/cli.hpp"

namespace sluice {

enum class SubmitVerb { run, submit, bulksubmit, batch, alloc };

/// "flux-run", as in messages.
std::string program_name(SubmitVerb verb);
inline bool makes_instance(SubmitVerb verb) {
    return verb == SubmitVerb::batch || verb == SubmitVerb::alloc;
}
inline bool submits_many(SubmitVerb verb) {
    return verb == SubmitVerb::submit || verb == SubmitVerb::bulksubmit;
}

struct OptionText {
    std::string_view name;  // long name; "nslots" and its like under their per-task name
    std::string text;
    friend bool operator==(const OptionText&, const OptionText&) = default;
};

struct SubmitOptions {
    std::vector<OptionText> texts;
    bool exclusive = false, label_io = false, unbuffered = false, dry_run = false, quiet = false;
    bool wait = false, watch = false, progress = false, jps = false, shuffle = false;
    bool wrap = false, background = false, dump = false, list_plugins = false;
    int verbose = 0;

    /// The last text given for an option.
    std::optional<std::string> last(std::string_view name) const;
    std::string last_or(std::string_view name, std::string fallback) const;
    /// All texts given for an option, in order.
    std::vector<std::string> all(std::string_view name) const;
};

/// Adds the options `verb` has to `cli`, which writes into `options`.
void declare_submit_options(Cli& cli, SubmitOptions& options, SubmitVerb verb);

/// An option whose text --cc and bulksubmit replace fields in.
struct ReplaceableOption {
    std::string_view name;
    std::string_view prefix;  // as bulksubmit --dry-run shows it: "-n" or "--job-name="
    bool is_list = false;     // many values, shown as one list
};
/// In the order in which bulksubmit --dry-run shows them.
const std::vector<ReplaceableOption>& replaceable_options();

}  // namespace sluice
