// bulksubmit --define=NAME=CODE: CODE is a Python expression of x, the input. It is evaluated by
// python3, in one process for all inputs, and only when the option is used.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "cmd/options/bulk_inputs.hpp"

namespace sluice {

/// The value of each expression for each input. Errors: EINVAL for a definition without "=" or an
/// expression that fails, ENOENT without python3.
Result<DefinedValues> define_values(const std::vector<std::string>& definitions,
                                    const std::vector<InputTuple>& tuples);

}  // namespace sluice
