#include "base/security/secure_config.hpp"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <memory>

#include "base/security/trusted_path.hpp"
#include "base/toml_library.hpp"

namespace sluice {
namespace {

std::string place_of(const std::string& name, const toml::source_region& source) {
    return fmt::format("{}:{}:{}", name, source.begin.line, source.begin.column);
}

/// Names of the .toml files in an open folder, in order.
Result<std::vector<std::string>> toml_files(OwnedFd folder, const std::string& path) {
    const std::unique_ptr<DIR, int (*)(DIR*)> dir{::fdopendir(folder.get()), ::closedir};
    if (!dir) return fail(errno, "{}: {}", path, Error{errno}.text());
    folder.release();  // the DIR closes it
    std::vector<std::string> names;
    while (const dirent* entry = ::readdir(dir.get())) {
        const std::string_view name = entry->d_name;
        if (name.ends_with(".toml") && !name.starts_with('.')) names.emplace_back(name);
    }
    std::ranges::sort(names);
    return names;
}

}  // namespace

struct SecureConfig::Reader {
    SecureConfig& config;
    const std::string& name;

    Result<void> table(const toml::table& table, const std::string& prefix) {
        for (const auto& [key, node] : table) {
            const std::string path = prefix + std::string{key.str()};
            if (const toml::table* inner = node.as_table()) {
                SLUICE_CHECK(this->table(*inner, path + "."));
                continue;
            }
            Entry entry{value(node), place_of(name, key.source())};
            const auto [at, fresh] = config.entries_.emplace(path, std::move(entry));
            if (!fresh)
                return fail(EINVAL, "{}: {}: is in {} already; keep one of them",
                            place_of(name, key.source()), path, at->second.place);
        }
        return {};
    }

    static decltype(Entry::value) value(const toml::node& node) {
        if (const auto* boolean = node.as_boolean()) return boolean->get();
        if (const auto* integer = node.as_integer()) return integer->get();
        if (const auto* text = node.as_string()) return text->get();
        const toml::array* array = node.as_array();
        if (!array) return Other{};
        std::vector<std::string> strings;
        for (const toml::node& item : *array) {
            const auto* text = item.as_string();
            if (!text) return Other{};
            strings.push_back(text->get());
        }
        return strings;
    }
};

Result<void> SecureConfig::add(std::string_view text, const std::string& name) {
    try {
        const toml::parse_result parsed = toml::parse(text);
        if (parsed) return Reader{*this, name}.table(parsed.table(), "");
        return fail(EINVAL, "{}: {}", place_of(name, parsed.error().source()),
                    parsed.error().description());
    } catch (const BadTomlKey&) {
        return fail(EINVAL, "{}: found a table without a key; want [NAME]", name);
    }
}

Result<SecureConfig> SecureConfig::load(const std::string& folder) {
    SLUICE_TRY(OwnedFd open, open_trusted(folder, O_RDONLY | O_DIRECTORY));
    SLUICE_TRY(const auto names, toml_files(std::move(open), folder));
    if (names.empty()) return fail(ENOENT, "{}: no file *.toml is there", folder);
    SecureConfig config;
    for (const std::string& name : names) {
        const std::string path = fmt::format("{}/{}", folder, name);
        SLUICE_TRY(const std::string text, read_trusted_file(path));
        SLUICE_CHECK(config.add(text, path));
    }
    return config;
}

template <class T>
Result<std::optional<T>> SecureConfig::get(std::string_view key, std::string_view wanted) const {
    const auto found = entries_.find(key);
    if (found == entries_.end()) return std::optional<T>{};
    if (const T* value = std::get_if<T>(&found->second.value)) return std::optional<T>{*value};
    return fail(EINVAL, "{}: want {}", place(key), wanted);
}

Result<std::optional<std::string>> SecureConfig::text(std::string_view key) const {
    return get<std::string>(key, "a string");
}

Result<std::optional<std::int64_t>> SecureConfig::integer(std::string_view key) const {
    return get<std::int64_t>(key, "an integer");
}

Result<std::optional<std::vector<std::string>>> SecureConfig::strings(std::string_view key) const {
    return get<std::vector<std::string>>(key, "an array of strings");
}

Result<bool> SecureConfig::flag(std::string_view key) const {
    SLUICE_TRY(const auto value, get<bool>(key, "true or false"));
    return value.value_or(false);
}

std::string SecureConfig::place(std::string_view key) const {
    const auto found = entries_.find(key);
    return fmt::format("{}: {}", found == entries_.end() ? "?" : found->second.place, key);
}

}  // namespace sluice
