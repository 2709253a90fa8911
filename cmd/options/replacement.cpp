#include "cmd/options/replacement.hpp"

namespace sluice {

Result<std::string> replace_fields(std::string_view text, const FieldLookup& lookup,
                                   ReplaceOptions options) {
    std::string out;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::string_view rest = text.substr(at);
        if (rest.starts_with("{{")) {
            std::size_t end = rest.find("}}");
            end = end == std::string_view::npos ? rest.size() : end + 2;
            out += rest.substr(0, end);
            at += end;
            continue;
        }
        if (rest[0] != '{') {
            out += rest[0];
            ++at;
            continue;
        }
        const std::size_t close = rest.find('}');
        const std::string_view field =
            close == std::string_view::npos ? "" : rest.substr(1, close - 1);
        const bool variable = options.keep_variables && at > 0 && text[at - 1] == '$';
        std::optional<std::string> value;
        if (close != std::string_view::npos) value = lookup(field);
        if (!value && !variable) {
            if (close == std::string_view::npos) return fail(EINVAL, "expected '}}' in '{}'", text);
            return fail(EINVAL, "Replacement key '{}' not found", field);
        }
        if (!value) {
            out += '{';
            ++at;
            continue;
        }
        out += *value;
        at += close + 1;
    }
    return out;
}

std::optional<std::string> path_operator(const std::string& input, std::string_view op) {
    const std::size_t slash = input.rfind('/');
    const std::string base = slash == std::string::npos ? input : input.substr(slash + 1);
    const auto without_extension = [](const std::string& path, const std::string& name) {
        const std::size_t dot = name.rfind('.');
        // Leading dots begin a hidden file's name, not an extension.
        const std::size_t first = name.find_first_not_of('.');
        if (dot == std::string::npos || first == std::string::npos || dot < first) return path;
        return path.substr(0, path.size() - (name.size() - dot));
    };
    if (op.empty()) return input;
    if (op == "%") return without_extension(input, base);
    if (op == "/") return base;
    if (op == "/%") return without_extension(base, base);
    if (op == "//") return slash == std::string::npos ? "" : input.substr(0, slash ? slash : 1);
    return std::nullopt;
}

}  // namespace sluice
