// flux getattr, setattr, lsattr: broker attributes.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "cmd/cli.hpp"
#include "cmd/commands.hpp"
#include "cmd/instance.hpp"

namespace sluice {

int cmd_getattr(int argc, char** argv) {
    Cli cli("flux-getattr", CliStyle::c_tool, "name", "Print the value of a broker attribute.");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() != 1) return cli.usage_error("give one attribute name");
    auto flux = open_builtin();
    if (!flux) return 1;
    const std::string& name = cli.words()[0];
    const Result<std::string> value = flux->attr(name);
    if (!value) return cli.error(fmt::format("{}: {}", name, errno_text(value.error())));
    fmt::print("{}\n", *value);
    return 0;
}

int cmd_setattr(int argc, char** argv) {
    bool force = false;
    Cli cli("flux-setattr", CliStyle::c_tool, "[--force] name value",
            "Set the value of a broker attribute.");
    cli.flag("-f,--force", force, "Set an attribute that is not meant to change at run time");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() != 2) return cli.usage_error("give an attribute name and a value");
    auto flux = open_builtin();
    if (!flux) return 1;
    const std::string& name = cli.words()[0];
    JsonObject request{{"name", name}, {"value", cli.words()[1]}};
    if (force) request["force"] = true;
    const auto reply = flux->call("attr.set", request);
    if (!reply) return cli.error(fmt::format("{}: {}", name, reply.error().text()));
    return 0;
}

int cmd_lsattr(int argc, char** argv) {
    bool values = false;
    Cli cli("flux-lsattr", CliStyle::c_tool, "[-v]", "List broker attributes.");
    cli.flag("-v,--values", values, "List values too");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (!cli.words().empty()) return cli.usage_error("no words are expected");
    auto flux = open_builtin();
    if (!flux) return 1;
    const auto reply = flux->call("attr.list");
    if (!reply) return cli.error(reply.error().text());
    JsonReader in{*reply};
    std::vector<std::string> names;
    for (const Json& name : in.array("names"))
        if (name.is_string()) names.emplace_back(name.as_string());
    if (!in) return cli.error(in.error().text());
    std::ranges::sort(names);
    for (const std::string& name : names) {
        if (!values) {
            fmt::print("{}\n", name);
            continue;
        }
        const Result<std::string> value = flux->attr(name);
        if (!value && value.error().errnum() != ENOENT) return cli.error(value.error().text());
        fmt::print("{:<40}{}\n", name, value ? *value : "-");
    }
    return 0;
}

}  // namespace sluice
