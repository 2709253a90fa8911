#include "cmd/options/pattern.hpp"

#include <fnmatch.h>

#include <regex>

namespace sluice {

Result<NameMatcher> name_matcher(std::string_view pattern) {
    if (!pattern.starts_with('/'))
        return NameMatcher([glob = std::string{pattern}](const std::string& name) {
            return ::fnmatch(glob.c_str(), name.c_str(), 0) == 0;
        });
    pattern.remove_prefix(1);
    if (pattern.ends_with('/')) pattern.remove_suffix(1);
    try {
        const std::regex regex{std::string{pattern}};
        return NameMatcher([regex](const std::string& name) {
            return std::regex_search(name, regex, std::regex_constants::match_continuous);
        });
    } catch (const std::regex_error& error) {
        return fail(EINVAL, "bad regular expression '{}': {}", pattern, error.what());
    }
}

}  // namespace sluice
