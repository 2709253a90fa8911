#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "base/security/secure_config.hpp"
#include "base/security/trusted_path.hpp"
#include "imp/commands.hpp"
#include "imp/input.hpp"
#include "imp/log.hpp"
#include "imp/privsep.hpp"
#include "imp/supervise.hpp"
#include "imp/user.hpp"

namespace sluice::imp {
namespace {

constexpr const char* path_of_root = "/usr/sbin:/usr/bin:/sbin:/bin";

struct RunConfig {
    std::string path;
    std::vector<std::string> users, variables;  // variables: patterns of names
};

bool is_plain(std::string_view name) {
    return !name.empty() && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_';
    });
}

Result<RunConfig> load_config(const std::string& name) {
    SLUICE_TRY(const SecureConfig imp, SecureConfig::load(imp_config_folder));
    const std::string table = "run." + name;
    RunConfig config;
    SLUICE_TRY(const auto path, imp.text(table + ".path"));
    SLUICE_TRY(const auto users, imp.strings(table + ".allowed-users"));
    SLUICE_TRY(const auto variables, imp.strings(table + ".allowed-environment"));
    if (!path)
        return fail(ENOENT, "{}: no [run.{}] with a path in {}", name, name, imp_config_folder);
    config.path = *path;
    config.users = users.value_or(std::vector<std::string>{});
    config.variables = variables.value_or(std::vector<std::string>{});
    return config;
}

Result<void> use_no_input() {
    const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null < 0 || ::dup2(null, STDIN_FILENO) < 0) return fail(errno, "/dev/null");
    return {};
}

}  // namespace

Result<int> run_command(const Invocation& invocation) {
    if (invocation.words.size() != 1 || !is_plain(invocation.words[0]))
        return fail(EINVAL, "usage: flux-imp run NAME");
    const std::string name = invocation.words[0];
    SLUICE_TRY(const RunConfig config, load_config(name));
    SLUICE_TRY(const User caller, find_user(::getuid()));
    if (std::ranges::find(config.users, caller.name) == config.users.end())
        return fail(EPERM, "{}: user {} is not in allowed-users of [run.{}] in {}", name,
                    caller.name, name, imp_config_folder);
    if (const auto trusted = check_trusted_program(config.path); !trusted)
        return trusted.error().in(name);
    SLUICE_TRY(auto fields, unprivileged([&]() -> Result<std::vector<std::string>> {
                   std::vector<std::string> kept;
                   std::ranges::copy_if(
                       invocation.environment, std::back_inserter(kept),
                       [&](const auto& entry) { return may_pass(entry, config.variables); });
                   return kept;
               }));
    SLUICE_TRY(const User target, find_user(::geteuid()));
    Program program{config.path, {config.path}, clean_environment(target, path_of_root)};
    program.environment.push_back(fmt::format("FLUX_OWNER_USERID={}", caller.uid));
    for (std::string& entry : fields)  // the child's word alone is not enough
        if (may_pass(entry, config.variables)) program.environment.push_back(std::move(entry));
    log_grant(fmt::format("run {} ({}) as {}", name, config.path, target.name));
    Supervision options;
    options.prepare = [&]() -> Result<void> {
        if (invocation.privileged) SLUICE_CHECK(become(target));
        return use_no_input();
    };
    return supervise(program, options);
}

}  // namespace sluice::imp
