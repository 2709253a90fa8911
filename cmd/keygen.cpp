// flux keygen: writes a CURVE certificate for [bootstrap] curve_cert.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "base/curve_cert.hpp"
#include "cmd/cli.hpp"
#include "cmd/commands.hpp"

namespace sluice {
namespace {

std::string own_hostname() {
    char name[256] = {};
    ::gethostname(name, sizeof name - 1);
    return name;
}

std::string local_time() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    ::localtime_r(&now, &parts);
    char text[64];
    return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts));
}

/// A quote would end the value early: the file format has no escapes.
Result<void> check_text(const std::string& text) {
    if (text.find_first_of("\"\n") == std::string::npos) return {};
    return fail(EINVAL, "'{}': a quote or a newline cannot be written into a certificate", text);
}

}  // namespace

int cmd_keygen(int argc, char** argv) {
    std::string name = own_hostname(), meta;
    Cli cli("flux-keygen", CliStyle::c_tool, "[OPTIONS] [PATH]",
            "Make a CURVE certificate that all brokers of an instance share.");
    cli.option("-n,--name=NAME", name, "name of the certificate (the host's)");
    cli.option("--meta=KEY=VALUE,...", meta, "more metadata");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() > 1) return cli.usage_error("too many arguments");
    CurveCert cert = CurveCert::generate();
    cert.metadata = {{"name", name},
                     {"keygen.flux-core-version", SLUICE_VERSION},
                     {"keygen.hostname", own_hostname()},
                     {"keygen.time", local_time()},
                     {"keygen.userid", std::to_string(::getuid())},
                     {"keygen.zmq-version", "4"}};
    std::string_view rest = meta;
    while (!rest.empty()) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        const std::string_view entry = rest.substr(0, comma);
        const std::size_t equals = std::min(entry.find('='), entry.size());
        cert.metadata.emplace_back(entry.substr(0, equals),
                                   entry.substr(std::min(equals + 1, entry.size())));
        rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    for (const auto& [key, value] : cert.metadata)
        for (const std::string& text : {key, value})
            if (const auto checked = check_text(text); !checked)
                return cli.error(checked.error().text());
    if (cli.words().empty()) {
        fmt::print("{}", cert.to_string());
        return 0;
    }
    const auto saved = cert.save(cli.words()[0]);
    return saved ? 0 : cli.error(saved.error().text());
}

}  // namespace sluice
