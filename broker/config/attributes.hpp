// Broker attributes: a closed set of names with string values (cli.md 4.5). A row says who may set
// an attribute, its default and what a value must look like. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"

namespace sluice {

namespace attr_rule {
inline constexpr unsigned command_line = 1,  // -S
    runtime = 2,    // attr.set
    immutable = 4,  // clients may cache it; attr.set cannot force it
    config = 8;     // the TOML key of the same name is its default
}

struct AttrRow {
    std::string_view name;
    unsigned rules;
    const char* initial;  // nullptr: unset
    /// Errors: EINVAL what is wrong with `value` and the values allowed; null accepts all.
    Result<void> (*check)(std::string_view value);
};
/// All rows; a name ending in ".*" stands for every name with that prefix.
std::span<const AttrRow> attribute_rows();

class Attributes {
  public:
    Attributes();

    /// "NAME=VALUE" or "NAME" of option -S. Errors: ENOENT unknown attribute, EPERM not for the
    /// command line, EINVAL bad value.
    Result<void> set_from_command_line(std::string_view assignment);
    /// Takes the defaults that `config` holds; what the command line has set stays.
    /// Errors: EINVAL naming the key.
    Result<void> apply_config(const JsonObject& config);
    /// Sets a known attribute from inside the broker; nullopt unsets it, but it stays listed.
    void set(std::string_view name, std::optional<std::string> value);
    void set_integer(std::string_view name, std::int64_t value) {
        set(name, std::to_string(value));
    }
    /// For attr.set. Errors: ENOENT unknown, EINVAL not updatable, EPERM immutable.
    Result<void> update(std::string_view name, std::string_view value, bool force);
    /// For attr.rm; an unknown name succeeds. Errors: EPERM immutable.
    Result<void> remove(std::string_view name);

    /// The value; nullopt when unset.
    std::optional<std::string> find(std::string_view name) const;
    std::string get_or(std::string_view name, std::string fallback) const;
    /// The value as a number; `fallback` when unset or no number.
    std::int64_t integer_or(std::string_view name, std::int64_t fallback) const;
    /// The value as a duration in seconds; nullopt for unset, "none" and infinity.
    std::optional<double> seconds(std::string_view name) const;
    /// Listed, though perhaps without value.
    bool has(std::string_view name) const { return entries_.contains(name); }
    bool set_by_command_line(std::string_view name) const;
    bool immutable(std::string_view name) const;
    std::vector<std::string> names() const;

    /// Called after each change of an attribute whose name begins with `prefix`.
    using OnChange = std::function<void(const std::string& name, const std::string& value)>;
    void watch(std::string prefix, OnChange on_change);

  private:
    struct Entry {
        std::optional<std::string> value;
        bool command_line = false;
    };
    void notify(const std::string& name, const std::string& value) const;

    std::map<std::string, Entry, std::less<>> entries_;
    std::vector<std::pair<std::string, OnChange>> watchers_;
};

}  // namespace sluice
