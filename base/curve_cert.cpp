#include "base/curve_cert.hpp"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace sluice {
namespace {

constexpr std::size_t cert_bytes_max = 64 * 1024;

std::string_view trim(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

Result<std::pair<std::string, std::string>> parse_assignment(std::string_view line, int number) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos)
        return fail(EINVAL, "line {}: found '{}', wanted NAME = \"VALUE\"", number, line);
    const std::string_view name = trim(line.substr(0, equals));
    const std::string_view value = trim(line.substr(equals + 1));
    if (name.empty() || value.size() < 2 || value.front() != '"' || value.back() != '"')
        return fail(EINVAL, "line {}: the value is not in quotes", number);
    return std::pair{std::string{name}, std::string{value.substr(1, value.size() - 2)}};
}

Result<void> check_key(std::string_view name, std::string_view key) {
    if (key.empty()) return fail(EINVAL, "no {}; make a certificate with flux keygen", name);
    if (!is_z85_key(key))
        return fail(EINVAL, "{} is not 40 characters of Z85; make a certificate with flux keygen",
                    name);
    return {};
}

Result<std::string> read_private(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return fail(errno, "{}", ::strerror(errno));
    struct stat status {};
    std::string text(cert_bytes_max, '\0');
    const bool known = ::fstat(fd, &status) == 0;
    const ssize_t size = ::read(fd, text.data(), text.size());
    const int cause = errno;
    ::close(fd);
    if (!known || size < 0) return fail(cause, "{}", ::strerror(cause));
    if (status.st_mode & (S_IRGRP | S_IROTH))
        return fail(EPERM, "readable by group/other (mode {:04o}); run chmod 600 {}",
                    status.st_mode & 07777u, path);
    text.resize(static_cast<std::size_t>(size));
    return text;
}

}  // namespace

CurveCert CurveCert::generate() {
    return {.metadata = {}, .keys = generate_curve_keys()};
}

Result<CurveCert> CurveCert::parse(std::string_view text) {
    CurveCert cert;
    std::string section;
    for (int number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view raw = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::string_view line = trim(raw);
        if (line.empty() || line[0] == '#') continue;
        if (raw[0] != ' ' && raw[0] != '\t') {
            section = line;
            if (section != "metadata" && section != "curve")
                return fail(EINVAL, "line {}: not a CURVE certificate; make one with flux keygen",
                            number);
            continue;
        }
        SLUICE_TRY(auto entry, parse_assignment(line, number));
        if (section == "metadata") {
            cert.metadata.push_back(std::move(entry));
        } else if (section == "curve" && entry.first == "public-key") {
            cert.keys.public_key = std::move(entry.second);
        } else if (section == "curve" && entry.first == "secret-key") {
            cert.keys.secret_key = std::move(entry.second);
        } else {
            return fail(EINVAL, "line {}: unknown entry '{}'", number, entry.first);
        }
    }
    SLUICE_CHECK(check_key("public-key", cert.keys.public_key));
    SLUICE_CHECK(check_key("secret-key", cert.keys.secret_key));
    return cert;
}

std::string CurveCert::to_string() const {
    std::string text = "#  ZeroMQ CURVE **Secret** Certificate\n#  DO NOT DISTRIBUTE\n\nmetadata\n";
    for (const auto& [name, value] : metadata)
        text += fmt::format("    {} = \"{}\"\n", name, value);
    return text + fmt::format("curve\n    public-key = \"{}\"\n    secret-key = \"{}\"\n",
                              keys.public_key, keys.secret_key);
}

Result<CurveCert> CurveCert::load(const std::string& path) {
    const Result<std::string> text = read_private(path);
    if (!text) return text.error().in(path);
    Result<CurveCert> cert = parse(*text);
    if (!cert) return cert.error().in(path);
    if (!curve_keys_match(cert->keys))
        return fail(EINVAL, "{}: the public-key does not belong to the secret-key", path);
    return cert;
}

Result<void> CurveCert::save(const std::string& path) const {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) return fail(errno, "{}: {}", path, ::strerror(errno));
    const std::string text = to_string();
    const bool written = ::fchmod(fd, 0600) == 0 &&
                         ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    const int cause = errno;
    if (::close(fd) != 0 || !written) return fail(cause, "{}: {}", path, ::strerror(cause));
    return {};
}

std::string_view CurveCert::name() const {
    for (const auto& [key, value] : metadata)
        if (key == "name") return value;
    return "";
}

}  // namespace sluice
