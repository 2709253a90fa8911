#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "base/base64.hpp"
#include "base/owned_fd.hpp"
#include "base/rfc/signed_jobspec.hpp"
#include "base/security/signature.hpp"
#include "base/security/trusted_path.hpp"
#include "imp/commands.hpp"
#include "imp/input.hpp"
#include "imp/log.hpp"
#include "imp/pam.hpp"
#include "imp/privsep.hpp"
#include "imp/supervise.hpp"
#include "imp/user.hpp"

namespace sluice::imp {
namespace {

constexpr std::size_t arguments_max = 64;
constexpr const char* path_of_users = "/usr/local/bin:/usr/bin:/bin";

struct ExecConfig {
    std::vector<std::string> users, shells;
    bool pam = false, without_privilege = false;
    SignConfig sign;
};

Result<ExecConfig> load_config() {
    SLUICE_TRY(const SecureConfig imp, SecureConfig::load(imp_config_folder));
    ExecConfig config;
    SLUICE_TRY(const auto users, imp.strings("exec.allowed-users"));
    SLUICE_TRY(const auto shells, imp.strings("exec.allowed-shells"));
    SLUICE_TRY(config.pam, imp.flag("exec.pam-support"));
    SLUICE_TRY(config.without_privilege, imp.flag("exec.allow-unprivileged-exec"));
    SLUICE_TRY(config.sign, SignConfig::load());
    config.users = users.value_or(std::vector<std::string>{});
    config.shells = shells.value_or(std::vector<std::string>{});
    return config;
}

bool contains(const std::vector<std::string>& list, std::string_view word) {
    return std::ranges::find(list, word) != list.end();
}

Result<void> check_caller(const ExecConfig& config, const Invocation& invocation) {
    SLUICE_TRY(const User caller, find_user(::getuid()));
    if (!contains(config.users, caller.name))
        return fail(EPERM, "user {} is not in allowed-users of [exec] in {}", caller.name,
                    imp_config_folder);
    if (!invocation.privileged && !config.without_privilege)
        return fail(EPERM, "not installed setuid root, so it cannot switch users; run chown root "
                           "and chmod 4750");
    return {};
}

Result<void> check_shell(const ExecConfig& config, const std::string& shell) {
    if (!contains(config.shells, shell))
        return fail(EPERM, "{}: is not in allowed-shells of [exec] in {}", shell,
                    imp_config_folder);
    const auto trusted = check_trusted_program(shell);
    return trusted ? Result<void>{} : Result<void>{trusted.error().in("allowed-shells")};
}

/// The user who signed J, and may have a shell.
Result<User> check_signer(const std::string& j, const ExecConfig& config,
                          const Invocation& invocation) {
    SLUICE_TRY(const Signer signer, verify_signature(j, config.sign, std::time(nullptr)));
    const uid_t uid = signer.userid.value;
    if (!invocation.privileged) return find_user(::getuid());
    if (!signer.sealed)
        return fail(EPERM, "J: mechanism none proves nothing; take it out of sign.allowed-types");
    if (uid == 0) return fail(EPERM, "J: signed by root; nobody becomes root by a job");
    return find_user(uid);
}

/// The jobspec in a sealed file in memory, as the standard input. Done as the user.
Result<void> offer_jobspec(const std::string& j) {
    SLUICE_TRY(const SignedParts parts, split_signed(j));
    SLUICE_TRY(const std::string jobspec, base64_decode(parts.payload));
    const OwnedFd file{::memfd_create("jobspec", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
    if (file.get() < 0) return fail(errno, "memory for the jobspec: {}", Error{errno}.text());
    for (std::string_view rest = jobspec; !rest.empty();) {
        const ssize_t put = ::write(file.get(), rest.data(), rest.size());
        if (put < 0) return fail(errno, "memory for the jobspec: {}", Error{errno}.text());
        rest.remove_prefix(static_cast<std::size_t>(put));
    }
    constexpr int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
    if (::fcntl(file.get(), F_ADD_SEALS, seals) != 0 || ::lseek(file.get(), 0, SEEK_SET) != 0 ||
        ::dup2(file.get(), STDIN_FILENO) < 0)
        return fail(errno, "jobspec for the shell: {}", Error{errno}.text());
    return {};
}

}  // namespace

Result<int> exec_command(const Invocation& invocation) {
    if (invocation.words.size() < 2 || invocation.words.size() > arguments_max)
        return fail(EINVAL, "usage: flux-imp exec SHELL ARGUMENT...");
    SLUICE_TRY(const ExecConfig config, load_config());
    SLUICE_CHECK(check_caller(config, invocation));
    Program program{invocation.words[0], {invocation.words.begin(), invocation.words.end()}, {}};
    SLUICE_CHECK(check_shell(config, program.path));
    SLUICE_TRY(const auto fields, unprivileged([]() -> Result<std::vector<std::string>> {
                   SLUICE_TRY(const std::string text, read_all(STDIN_FILENO, input_bytes_max));
                   SLUICE_TRY(std::string j, read_input(text));
                   return std::vector{std::move(j)};
               }));
    if (fields.size() != 1) return fail(EINVAL, "the unprivileged child sent no J");
    const std::string& j = fields.front();
    SLUICE_TRY(const User user, check_signer(j, config, invocation));
    program.environment = clean_environment(user, path_of_users);
    if (config.pam) SLUICE_CHECK(open_session(user.name, program.environment));
    log_grant(fmt::format("exec {} as {} (uid {})", program.path, user.name, user.uid));
    Supervision options;
    options.is_job = true;
    options.prepare = [&]() -> Result<void> {
        if (invocation.privileged) SLUICE_CHECK(become(user));
        return offer_jobspec(j);
    };
    const auto status = supervise(program, options);
    if (config.pam) close_session();
    return status;
}

}  // namespace sluice::imp
