// The environment `flux` prepares for its commands (cli.md 0.1): search paths with the parts of
// *_PREPEND first, the installed parts next, and the inherited ones last.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice {

/// `argv0` as the program was called: only when it names a path is our folder put into PATH, so
/// that children find the same `flux`. With `verbose`, prints what is set on stderr.
void prepare_environment(std::string_view argv0, bool verbose);
/// Folders in which flux-CMD is looked for, in order.
std::vector<std::string> command_search_path();

/// The parts of colon-separated lists in order, each once, empty parts left out.
std::vector<std::string> merge_path_lists(const std::vector<std::string_view>& lists);

}  // namespace sluice
