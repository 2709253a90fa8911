// RFC 19 - see fluid.hpp.
#include "base/rfc/fluid.hpp"

#include <langinfo.h>
#include <locale.h>
#include <strings.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "base/assert.hpp"

namespace sluice {
namespace {

constexpr std::string_view base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
constexpr std::string_view florin = "\xC6\x92";  // U+0192 in UTF-8
constexpr int timestamp_shift = 24, generator_shift = 10;
constexpr std::uint64_t generator_max = (1u << 14) - 1;
constexpr std::uint32_t sequences_per_ms = 1023;

using FormName = std::pair<std::string_view, FluidForm>;
constexpr FormName form_names[] = {
    {"dec", FluidForm::dec},       {"hex", FluidForm::hex}, {"dothex", FluidForm::dothex},
    {"kvs", FluidForm::kvs},       {"f58", FluidForm::f58}, {"f58plain", FluidForm::f58plain},
};

bool locale_codeset_is_utf8() {
    const locale_t locale = ::newlocale(LC_CTYPE_MASK, "", nullptr);
    if (!locale) return false;
    const bool utf8 = std::string_view{::nl_langinfo_l(CODESET, locale)} == "UTF-8";
    ::freelocale(locale);
    return utf8;
}

/// Judged by the name, because small images have no locales; with no name at all, as in a shell
/// that was opened in a pod, UTF-8.
bool locale_is_utf8() {
    std::string name;
    for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"})
        if (const char* value = std::getenv(variable); value && *value) {
            name = value;
            break;
        }
    if (name.empty()) return true;
    if (name == "C" || name == "POSIX") return false;
    const std::size_t dot = name.find('.');
    if (dot == std::string::npos) return locale_codeset_is_utf8();
    return ::strncasecmp(name.c_str() + dot, ".utf-8", 6) == 0 ||
           ::strncasecmp(name.c_str() + dot, ".utf8", 5) == 0;
}

std::string_view f58_prefix() {
    static const bool ascii = std::getenv("FLUX_F58_FORCE_ASCII") || !locale_is_utf8();
    return ascii ? "f" : florin;
}

std::string encode_f58(std::string_view prefix, std::uint64_t value) {
    char digits[16];
    char* begin = digits + sizeof digits;
    do {
        *--begin = base58[value % 58];
        value /= 58;
    } while (value != 0);
    std::string out{prefix};
    out.append(begin, digits + sizeof digits);
    return out;
}

std::string encode_dothex(std::string_view prefix, std::uint64_t value) {
    return fmt::format("{}{:04x}.{:04x}.{:04x}.{:04x}", prefix, value >> 48, value >> 32 & 0xFFFF,
                       value >> 16 & 0xFFFF, value & 0xFFFF);
}

using Decoded = std::optional<std::uint64_t>;

Decoded decode_f58(std::string_view digits) {
    if (digits.empty()) return std::nullopt;
    std::uint64_t value = 0;
    for (const char c : digits) {
        const std::size_t digit = base58.find(c);
        if (digit == std::string_view::npos) return std::nullopt;
        if (__builtin_mul_overflow(value, 58, &value) ||
            __builtin_add_overflow(value, digit, &value))
            return std::nullopt;
    }
    return value;
}

Decoded decode_number(std::string_view digits, int base) {
    std::uint64_t value = 0;
    const char* const last = digits.data() + digits.size();
    const auto [end, error] = std::from_chars(digits.data(), last, value, base);
    if (error != std::errc{} || end != last) return std::nullopt;
    return value;
}

/// Four groups of one to four hex digits.
Decoded decode_dothex(std::string_view text) {
    std::uint64_t value = 0;
    for (int group = 0; group < 4; ++group) {
        const std::size_t dot = text.find('.');
        if ((dot == std::string_view::npos) != (group == 3)) return std::nullopt;
        const std::string_view digits = text.substr(0, dot);
        const Decoded part = digits.size() <= 4 ? decode_number(digits, 16) : std::nullopt;
        if (!part) return std::nullopt;
        value = value << 16 | *part;
        if (group < 3) text.remove_prefix(dot + 1);
    }
    return value;
}

Decoded decode_any(std::string_view text) {
    if (text.starts_with("job.")) text.remove_prefix(4);
    if (text.find('.') != std::string_view::npos) return decode_dothex(text);
    if (text.starts_with(florin)) return decode_f58(text.substr(florin.size()));
    if (text.starts_with('f')) return decode_f58(text.substr(1));
    if (text.starts_with("0x") || text.starts_with("0X"))
        return decode_number(text.substr(2), 16);
    return decode_number(text, 10);
}

}  // namespace

std::string fluid_encode(JobId id, FluidForm form) {
    switch (form) {
        case FluidForm::dec: return fmt::format("{}", id.value);
        case FluidForm::hex: return fmt::format("{:#x}", id.value);
        case FluidForm::dothex: return encode_dothex("", id.value);
        case FluidForm::kvs: return encode_dothex("job.", id.value);
        case FluidForm::f58: return encode_f58(f58_prefix(), id.value);
        case FluidForm::f58plain: return encode_f58("f", id.value);
    }
    SLUICE_ASSERT(!"every form is handled");
}

Result<JobId> fluid_decode(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t");
    const Decoded value =
        begin == std::string_view::npos ? std::nullopt : decode_any(text.substr(begin));
    if (!value) return fail(EINVAL, "\"{}\" is not a valid jobid", text);
    return JobId{*value};
}

std::optional<FluidForm> fluid_form(std::string_view name) {
    const auto found = std::ranges::find(form_names, name, &FormName::first);
    if (found == std::end(form_names)) return std::nullopt;
    return found->second;
}

FluidGenerator::FluidGenerator(std::uint32_t generator, JobId start, std::uint64_t now_ms)
    : generator_(generator),
      offset_ms_((start.value >> timestamp_shift) + 1),
      start_ms_(now_ms),
      last_ms_(now_ms) {
    SLUICE_ASSERT(generator <= generator_max);
}

std::optional<JobId> FluidGenerator::next(std::uint64_t now_ms) {
    if (now_ms > last_ms_) {  // a clock that steps back must not repeat ids
        last_ms_ = now_ms;
        sequence_ = 0;
    }
    if (sequence_ == sequences_per_ms) return std::nullopt;
    const std::uint64_t timestamp = last_ms_ - start_ms_ + offset_ms_;
    return JobId{timestamp << timestamp_shift | generator_ << generator_shift | sequence_++};
}

}  // namespace sluice
