// Precompiled: what nearly every file reads, and costs most to read.

#include <boost/json.hpp>
#include <fmt/format.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>
