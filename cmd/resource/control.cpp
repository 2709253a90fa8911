// flux resource acquire-mute and reload: for rc scripts and developers.
#include <filesystem>

#include "cmd/client.hpp"
#include "cmd/resource/commands.hpp"

namespace sluice {

namespace {

constexpr CliStyle style = CliStyle::python_tool;

int request(const Cli& cli, std::string_view topic, const JsonObject& payload) {
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    const auto done = flux->call(topic, payload, {.nodeid = 0});
    return done ? 0 : cli.error(done.error().text());
}

}  // namespace

int cmd_resource_acquire_mute(int argc, char** argv) {
    Cli cli("flux-resource acquire-mute", style, "[-h]",
            "Tell the scheduler no more of nodes that go down.");
    if (const auto code = cli.parse(argc, argv)) return *code;
    return request(cli, "resource.acquire-mute", {});
}

int cmd_resource_reload(int argc, char** argv) {
    Cli cli("flux-resource reload", style, "[-h] [-x] [-f] PATH",
            "Replace the inventory; a scheduler must not be using it.");
    bool xml = false, force = false;
    cli.flag("-x,--xml", xml, "PATH is a folder of hwloc XML files");
    cli.flag("-f,--force", force, "allow ranks that the instance does not have");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() != 1)
        return cli.usage_error("the following arguments are required: path");
    std::error_code error;
    const std::string path = std::filesystem::absolute(cli.words()[0], error);
    if (!std::filesystem::exists(path, error))
        return cli.error(path + ": No such file or directory");
    return request(cli, "resource.reload", {{"path", path}, {"xml", xml}, {"force", force}});
}

}  // namespace sluice
