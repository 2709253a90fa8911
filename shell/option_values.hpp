// Values of shell options as users give them, and the options that are decoded elsewhere than in
// options.cpp.
#pragma once

#include <string>
#include <string_view>

#include "base/json.hpp"
#include "base/result.hpp"
#include "shell/options.hpp"

namespace sluice::shell {

/// EINVAL: what was expected of `option`, and what was found.
Error wrong(std::string_view option, std::string_view wanted, const Json& found);
/// `-o name` gives 1; 0, false and null are off.
bool truth(const Json& value);
/// Text of a string or a number: `-o x=5` arrives as the integer 5.
std::string text_of(const Json& value);
/// A number or a Flux Standard Duration. Errors: EINVAL naming the option.
Result<double> seconds(std::string_view option, const Json& value);

/// Options output.* and input.* (options_io.cpp). Errors: EINVAL naming the option.
Result<void> set_output(const Json& value, ShellOptions& to);
Result<void> set_input(const Json& value, ShellOptions& to);

}  // namespace sluice::shell
