// flux keygen: writes a CURVE certificate for [bootstrap] curve_cert.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include "base/curve_cert.hpp"
#include "cmd/build_versions.hpp"
#include "cmd/cli.hpp"
#include "cmd/client.hpp"
#include "cmd/commands.hpp"

namespace sluice {
namespace {

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

using Metadata = std::vector<std::pair<std::string, std::string>>;

/// What was said first counts.
void add_entry(Metadata& metadata, std::string_view key, std::string_view value) {
    if (std::ranges::find(metadata, key, &Metadata::value_type::first) == metadata.end())
        metadata.emplace_back(key, value);
}

/// Adds "KEY=VALUE,…"; a key alone gets an empty value.
Result<void> add_entries(Metadata& metadata, std::string_view list) {
    while (!list.empty()) {
        const std::string_view entry = list.substr(0, list.find(','));
        const std::size_t equals = std::min(entry.find('='), entry.size());
        if (equals == 0) return fail(EINVAL, "--meta: '{}' has no key; want KEY=VALUE,...", list);
        add_entry(metadata, entry.substr(0, equals),
                  entry.substr(std::min(equals + 1, entry.size())));
        list.remove_prefix(std::min(entry.size() + 1, list.size()));
    }
    return {};
}

/// The place of a key in CZMQ's hash table: certificates list their metadata in that order.
std::uint32_t czmq_bucket(std::string_view key) {
    constexpr std::uint32_t bucket_count = 255;
    std::uint32_t hash = 0;
    for (const char letter : key) hash = (33 * hash) ^ static_cast<std::uint32_t>(letter);
    return hash % bucket_count;
}

Result<Metadata> make_metadata(const std::optional<std::string>& name, const std::string& meta) {
    Metadata metadata;
    if (name) add_entry(metadata, "name", *name);
    SLUICE_CHECK(add_entries(metadata, meta));
    add_entry(metadata, "name", host_name());
    add_entry(metadata, "keygen.flux-core-version", SLUICE_VERSION);
    add_entry(metadata, "keygen.hostname", host_name());
    add_entry(metadata, "keygen.time", local_time());
    add_entry(metadata, "keygen.userid", std::to_string(::getuid()));
    add_entry(metadata, "keygen.zmq-version", SLUICE_ZMQ_VERSION);
    for (const auto& [key, value] : metadata)
        for (const std::string& text : {key, value}) SLUICE_CHECK(check_text(text));
    std::ranges::stable_sort(metadata, {},
                             [](const auto& entry) { return czmq_bucket(entry.first); });
    return metadata;
}

}  // namespace

int cmd_keygen(int argc, char** argv) {
    std::optional<std::string> name;
    std::string meta;
    Cli cli("flux-keygen", CliStyle::c_tool, "[OPTIONS] [PATH]",
            "Make a CURVE certificate that all brokers of an instance share.");
    cli.option("-n,--name=NAME", name, "name of the certificate (the host's)");
    cli.option(
        "--meta=KEY=VALUE,...",
        [&](std::optional<std::string> list) {
            meta += (meta.empty() ? "" : ",") + list.value_or("");
            return Result<void>{};
        },
        "more metadata");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() > 1) return cli.usage_error("too many arguments");
    auto metadata = make_metadata(name, meta);
    if (!metadata) return cli.error(metadata.error().text());
    CurveCert cert = CurveCert::generate();
    cert.metadata = *std::move(metadata);
    if (cli.words().empty()) {
        fmt::print("{}", cert.to_string());
        return 0;
    }
    const auto saved = cert.save(cli.words()[0]);
    return saved ? 0 : cli.error(saved.error().text());
}

}  // namespace sluice
