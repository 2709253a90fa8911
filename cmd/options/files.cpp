#include "cmd/options/files.hpp"

#include <sys/stat.h>

#include <charconv>

#include "base/base64.hpp"
#include "base/rfc/io_data.hpp"

namespace sluice {
namespace {

constexpr unsigned inline_permissions = 0600;

std::string with_newlines(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text.substr(i, 2) == "\\n") {
            out += '\n';
            ++i;
        } else {
            out += text[i];
        }
    }
    return out;
}

bool is_octal(std::string_view text) {
    return !text.empty() && text.find_first_not_of("01234567") == std::string_view::npos;
}

struct FileName {
    std::string name;
    unsigned permissions = inline_permissions;
};

/// A colon that no octal digits follow belongs to the name.
Result<FileName> parse_name(std::string_view text, std::string_view argument) {
    const std::size_t colon = text.rfind(':');
    const std::string_view digits = text.substr(std::min(text.size(), colon + 1));
    if (colon == std::string_view::npos || !is_octal(digits)) return FileName{std::string{text}};
    FileName found{std::string{text.substr(0, colon)}};
    const char* end = digits.data() + digits.size();
    const auto parsed = std::from_chars(digits.data(), end, found.permissions, 8);
    if (parsed.ec != std::errc{} || found.permissions > 07777)
        return fail(EINVAL, "--add-file={}: invalid permissions '{}'; 7777 is the most", argument,
                    digits);
    return found;
}

Result<ArchivedFile> read_file(std::string name, const std::string& path, std::string_view argument,
                               const FileLoader& load) {
    const Result<LoadedFile> file = load(path);
    if (!file) return file.error().in(fmt::format("--add-file={}", argument));
    if (name.empty()) name = path.substr(path.rfind('/') + 1);
    JsonObject entry;
    const bool text = is_utf8(file->content);
    entry["mode"] = S_IFREG | (file->mode & 07777);
    entry["data"] = text ? file->content : base64_encode(file->content);
    entry["encoding"] = text ? "utf-8" : "base64";
    entry["size"] = file->content.size();
    return ArchivedFile{std::move(name), std::move(entry)};
}

}  // namespace

JsonObject inline_file(unsigned permissions, std::string_view content) {
    JsonObject entry;
    entry["mode"] = S_IFREG | permissions;
    entry["data"] = content;
    entry["encoding"] = "utf-8";
    return entry;
}

Result<ArchivedFile> archive_file(std::string_view argument, const FileLoader& load) {
    FileName name;
    std::string_view value = argument;
    if (const std::size_t equals = argument.find('='); equals != std::string_view::npos) {
        SLUICE_TRY(name, parse_name(argument.substr(0, equals), argument));
        value = argument.substr(equals + 1);
    }
    const std::string content = with_newlines(value);
    if (content.find('\n') == std::string::npos)
        return read_file(name.name, content, argument, load);
    if (name.name.empty()) return fail(EINVAL, "--add-file: file name missing");
    return ArchivedFile{name.name, inline_file(name.permissions, content)};
}

}  // namespace sluice
