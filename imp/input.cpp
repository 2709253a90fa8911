#include "imp/input.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace sluice::imp {
namespace {

constexpr int depth_max = 16;
constexpr std::size_t size_digits = 8, variable_bytes_max = std::size_t{128} << 10;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
/// MUNGE credentials have a colon at each end.
bool is_of_j(char c) {
    return is_letter(c) || is_digit(c) || c == '+' || c == '/' || c == '=' || c == '.' || c == ':';
}

/// true, false, null and numbers.
bool is_of_word(char c) {
    return is_letter(c) || is_digit(c) || c == '-' || c == '+' || c == '.';
}

/// A reader of JSON that keeps nothing but strings.
class Reader {
  public:
    explicit Reader(std::string_view text) : rest_(text) {}

    Result<std::string> find_j() {
        std::optional<std::string> j;
        if (!take('{')) return wrong("an object");
        if (!take('}')) {
            do {
                SLUICE_TRY(const std::string key, string());
                if (!take(':')) return wrong("':'");
                if (key != "J") {
                    SLUICE_CHECK(skip(1));
                } else if (j) {
                    return fail(EINVAL, "input: J is there twice");
                } else {
                    SLUICE_TRY(j, string());
                }
            } while (take(','));
            if (!take('}')) return wrong("',' or '}'");
        }
        skip_space();
        if (!rest_.empty()) return wrong("the end");
        if (!j) return fail(EINVAL, "input: no J; want {{\"J\": \"HEADER.PAYLOAD.SIGNATURE\"}}");
        if (!std::ranges::all_of(*j, is_of_j)) return fail(EINVAL, "input: J: no base64");
        return *std::move(j);
    }

  private:
    Error wrong(std::string_view wanted) const {
        return fail(EINVAL, "input: no JSON as wanted: want {}, found '{}'", wanted,
                    printable(rest_.substr(0, 1)));
    }

    void skip_space() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
    }

    bool take(char wanted) {
        skip_space();
        if (!rest_.starts_with(wanted)) return false;
        rest_.remove_prefix(1);
        return true;
    }

    /// Escapes stay as they are, but for "\/": neither a key that is looked for nor J has others.
    Result<std::string> string() {
        if (!take('"')) return wrong("a string");
        std::string value;
        while (!rest_.empty() && rest_.front() != '"') {
            if (static_cast<unsigned char>(rest_.front()) < ' ') return wrong("a string");
            if (rest_.front() == '\\') {
                if (rest_.size() < 2) break;
                if (rest_[1] != '/') value += '\\';
                rest_.remove_prefix(1);
            }
            value += rest_.front();
            rest_.remove_prefix(1);
        }
        if (rest_.empty()) return wrong("the end of a string");
        rest_.remove_prefix(1);
        return value;
    }

    Result<void> skip(int depth) {
        if (depth > depth_max) return fail(EINVAL, "input: nested deeper than {}", depth_max);
        skip_space();
        if (rest_.starts_with('"')) {
            SLUICE_TRY([[maybe_unused]] const std::string passed, string());
            return {};
        }
        if (take('[')) return skip_items(']', false, depth);
        if (take('{')) return skip_items('}', true, depth);
        const auto end = std::ranges::find_if_not(rest_, is_of_word);
        if (end == rest_.begin()) return wrong("a value");
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.begin()));
        return {};
    }

    Result<void> skip_items(char close, bool keys, int depth) {
        if (take(close)) return {};
        do {
            if (keys) {
                SLUICE_TRY([[maybe_unused]] const std::string key, string());
                if (!take(':')) return wrong("':'");
            }
            SLUICE_CHECK(skip(depth + 1));
        } while (take(','));
        if (!take(close)) return wrong("',' or an end");
        return {};
    }

    std::string_view rest_;
};

/// Variables by which whoever sets them runs code of his own in another's program.
bool is_obeyed_by_loaders(std::string_view name) {
    constexpr std::string_view prefixes[] = {"LD_",   "BASH_",   "GLIBC_", "MALLOC_",
                                             "PYTHON", "PERL",    "RUBY",   "LOCPATH"};
    constexpr std::string_view names[] = {
        "IFS",       "ENV",          "SHELLOPTS", "BASHOPTS", "PS4",  "CDPATH",  "GLOBIGNORE",
        "NLSPATH",   "TMPDIR",       "PATH",      "HOME",     "USER", "LOGNAME", "SHELL",
        "GCONV_PATH", "HOSTALIASES", "FLUX_OWNER_USERID"};
    return std::ranges::find(names, name) != std::end(names) ||
           std::ranges::any_of(prefixes, [&](std::string_view p) { return name.starts_with(p); });
}

bool is_name(std::string_view name) {
    return !name.empty() && !is_digit(name[0]) && std::ranges::all_of(name, [](char c) {
        return is_letter(c) || is_digit(c) || c == '_';
    });
}

}  // namespace

Result<std::string> read_input(std::string_view json) {
    return Reader{json}.find_j();
}

std::string pack(const std::vector<std::string>& fields) {
    std::string bytes;
    for (const std::string& field : fields) {
        bytes += fmt::format("{:08x}", field.size());
        bytes += field;
    }
    return bytes;
}

Result<std::vector<std::string>> unpack(std::string_view bytes) {
    std::vector<std::string> fields;
    while (!bytes.empty()) {
        std::uint32_t size = 0;
        const char* const end = bytes.data() + size_digits;
        if (bytes.size() < size_digits || std::from_chars(bytes.data(), end, size, 16).ptr != end ||
            bytes.size() - size_digits < size || fields.size() == fields_max)
            return fail(EINVAL, "the unprivileged child sent what is no list of fields");
        fields.emplace_back(bytes.substr(size_digits, size));
        bytes.remove_prefix(size_digits + size);
    }
    return fields;
}

bool may_pass(std::string_view entry, const std::vector<std::string>& patterns) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos || entry.size() > variable_bytes_max) return false;
    if (entry.find('\0') != std::string_view::npos) return false;
    const std::string name{entry.substr(0, equals)};
    if (!is_name(name) || is_obeyed_by_loaders(name)) return false;
    // A function exported by bash.
    if (entry.substr(equals + 1).starts_with("()")) return false;
    if (name == "FLUX_JOB_ID" || name == "FLUX_JOB_USERID") return true;
    return std::ranges::any_of(patterns, [&](const std::string& pattern) {
        return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
    });
}

std::string printable(std::string_view text) {
    std::string shown{text};
    std::ranges::replace_if(
        shown, [](unsigned char c) { return c < ' ' || c == 0x7f; }, '?');
    return shown;
}

}  // namespace sluice::imp
