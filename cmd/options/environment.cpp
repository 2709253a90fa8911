#include "cmd/options/environment.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

#include "cmd/options/pattern.hpp"

namespace sluice {
namespace {

constexpr int file_depth_max = 16;

bool is_name_char(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}
bool is_name(std::string_view text) {
    return !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) &&
           std::ranges::all_of(text, is_name_char);
}

/// One "$" expression at the head of a text: its length, and the name it stands for, empty for
/// "$$". Nullopt when it is no such expression.
struct Reference {
    std::size_t length;
    std::string_view name;
};
std::optional<Reference> reference_at(std::string_view text) {
    if (text.starts_with("$$")) return Reference{2, ""};
    if (text.starts_with("${")) {
        const std::size_t close = text.find('}');
        if (close == std::string_view::npos || !is_name(text.substr(2, close - 2)))
            return std::nullopt;
        return Reference{close + 1, text.substr(2, close - 2)};
    }
    std::size_t end = 1;
    while (end < text.size() && is_name_char(text[end])) ++end;
    if (!is_name(text.substr(1, end - 1))) return std::nullopt;
    return Reference{end, text.substr(1, end - 1)};
}

class Builder {
  public:
    Builder(const EnvironmentList& start, const FileLoader& load) : start_(start), load_(load) {
        constexpr std::size_t more = 16;  // that rules may add without another table
        result_.variables.reserve(start.size() + more);
        for (const auto& [name, value] : start) result_.variables[name] = value;
    }

    Result<void> apply(std::string_view rule, int depth = 0) {
        if (rule.starts_with('-')) return remove(rule.substr(1));
        if (rule.starts_with('^')) return read_rules(std::string{rule.substr(1)}, depth);
        const std::size_t equals = rule.find('=');
        if (equals == std::string_view::npos || rule.starts_with('/')) return import(rule);
        return set(rule, std::string{rule.substr(0, equals)}, rule.substr(equals + 1));
    }
    JobEnvironment take() { return std::move(result_); }

  private:
    Result<void> remove(std::string_view pattern) {
        SLUICE_TRY(const NameMatcher matches, name_matcher(pattern));
        JsonObject kept;
        for (auto& [name, value] : result_.variables)
            if (!matches(std::string{name})) kept[name] = value;
        result_.variables = std::move(kept);
        return {};
    }

    Result<void> import(std::string_view pattern) {
        SLUICE_TRY(const NameMatcher matches, name_matcher(pattern));
        for (const auto& [name, value] : start_)
            if (!result_.variables.contains(name) && matches(name)) result_.variables[name] = value;
        return {};
    }

    Result<void> read_rules(const std::string& path, int depth) {
        if (depth == file_depth_max)
            return fail(ELOOP, "{}: more than {} rule files within each other", path, depth);
        SLUICE_TRY(const LoadedFile file, load_(path));
        std::string_view rest = file.content;
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.find('\n'), rest.size());
            std::string_view line = rest.substr(0, end);
            rest.remove_prefix(std::min(end + 1, rest.size()));
            if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
            SLUICE_CHECK(apply(line, depth + 1));
        }
        return {};
    }

    std::optional<std::string> value_of(std::string_view name) const {
        if (const Json* value = result_.variables.if_contains(name))
            return std::string{value->get_string()};
        for (const auto& [known, value] : start_)
            if (known == name) return value;
        return std::nullopt;
    }

    Result<void> set(std::string_view rule, const std::string& name, std::string_view text) {
        std::string value;
        while (!text.empty()) {
            if (text[0] != '$') {
                value += text[0];
                text.remove_prefix(1);
                continue;
            }
            const std::optional<Reference> reference = reference_at(text);
            if (!reference) return fail(EINVAL, "Unable to substitute {}", rule);
            text.remove_prefix(reference->length);
            if (reference->name.empty()) {
                value += '$';
                continue;
            }
            const std::optional<std::string> found = value_of(reference->name);
            if (!found) return fail(EINVAL, "Variable '{}' not found in {}", reference->name, rule);
            value += *found;
        }
        JsonObject& place =
            value.find("{{") == std::string::npos ? result_.variables : result_.expand;
        place[name] = value;
        return {};
    }

    const EnvironmentList& start_;
    const FileLoader& load_;
    JobEnvironment result_;
};

}  // namespace

Result<JobEnvironment> build_environment(const EnvironmentList& start,
                                         const std::vector<std::string>& rules,
                                         const FileLoader& load) {
    Builder builder(start, load);
    for (const std::string& rule : rules) SLUICE_CHECK(builder.apply(rule));
    return builder.take();
}

}  // namespace sluice
