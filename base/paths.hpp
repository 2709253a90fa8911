// Where the parts of an installation are, found from the running program: beside it in a build
// tree, under ../lib/flux when installed. The tree may be moved as a whole.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

/// Folder of the running program (/proc/self/exe).
std::string program_folder();
/// Path of a helper program ("flux-broker", "flux-shell"); the build tree first.
std::string helper_program(std::string_view name);
/// Path of the `flux` command of this installation.
std::string flux_command();
/// Path of a library of ours ("libpmi.so", "libpmi2.so").
std::string helper_library(std::string_view name);

}  // namespace sluice
