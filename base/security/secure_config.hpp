// The security configuration, /etc/flux/imp/conf.d and /etc/flux/security/conf.d: TOML files that
// only root can have written. Small on purpose: a setuid program reads it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"

namespace sluice {

inline constexpr const char* imp_config_folder = "/etc/flux/imp/conf.d";
inline constexpr const char* sign_config_folder = "/etc/flux/security/conf.d";

/// Values by dotted path ("exec.allowed-users"), of all files together.
class SecureConfig {
  public:
    /// Reads FOLDER/*.toml in the order of their names.
    /// Errors: EPERM owner or mode of the folder or a file; ENOENT no folder, or no file in it;
    /// EINVAL "FILE:LINE:COLUMN: fault", a key that is in two files included.
    static Result<SecureConfig> load(const std::string& folder);
    /// Adds the values of a document. Errors: EINVAL as load.
    Result<void> add(std::string_view text, const std::string& name);

    // nullopt: the key is not there. Errors: EINVAL naming place, key and the type wanted.
    Result<std::optional<std::string>> text(std::string_view key) const;
    Result<std::optional<std::int64_t>> integer(std::string_view key) const;
    Result<std::optional<std::vector<std::string>>> strings(std::string_view key) const;
    /// False when it is not there.
    Result<bool> flag(std::string_view key) const;
    /// "FILE:LINE:COLUMN: KEY", for messages about its value.
    std::string place(std::string_view key) const;

  private:
    struct Other {};  // a type that no key has
    struct Entry {
        std::variant<Other, bool, std::int64_t, std::string, std::vector<std::string>> value;
        std::string place;
    };
    struct Reader;
    template <class T>
    Result<std::optional<T>> get(std::string_view key, std::string_view wanted) const;
    std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace sluice
