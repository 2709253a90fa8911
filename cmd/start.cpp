// flux start: replaces itself by a broker, or starts a whole test instance on this machine
// (--test-size, see start_test.cpp). cli.md 4.1.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "base/paths.hpp"
#include "base/rfc/fsd.hpp"
#include "base/rpc/handle.hpp"
#include "base/words.hpp"
#include "cmd/cli.hpp"
#include "cmd/commands.hpp"
#include "cmd/start_test.hpp"

namespace sluice {
namespace {

constexpr const char* system_statedir = "/var/lib/flux";
constexpr const char* system_config = "/etc/flux/system/conf.d";

struct Options {
    std::vector<std::string> attributes, broker_options, wrap;
    std::vector<std::string> config_path, conf;
    std::string recovery;  // the target; empty: the system instance
    bool recover = false, noexec = false, sysconfig = false;
    int verbose = 0;
    TestOptions test;
};

Cli::Apply append_parts(std::vector<std::string>& to) {
    return [&to](std::optional<std::string> value) -> Result<void> {
        if (!value) return {};
        for (std::string& part : split_words(*value)) to.push_back(std::move(part));
        return {};
    };
}

Result<void> one_of(const std::string& option, const std::string& value, std::string_view first,
                    std::string_view second) {
    if (value == first || value == second) return {};
    return fail(EINVAL, "--{}: '{}' is neither {} nor {}", option, value, first, second);
}

void declare_test_size(Cli& cli, TestOptions& test) {
    cli.option(
        "-s,--test-size=N",
        [&](std::optional<std::string> value) -> Result<void> {
            const std::string text = value ? *value : std::string{};
            char* end = nullptr;
            const long size = std::strtol(text.c_str(), &end, 10);
            if (*end || end == text.c_str())
                return fail(EINVAL, "Option \"test-size\" requires an integer argument, found '{}'",
                            text);
            if (size <= 0 || size > INT_MAX)
                return fail(EINVAL, "--test-size argument must be > 0");
            test.size = static_cast<std::uint32_t>(size);
            return {};
        },
        "start a test instance of N brokers on this machine");
}

void declare_test_options(Cli& cli, TestOptions& test) {
    declare_test_size(cli, test);
    // These mean nothing without --test-size; the first one is remembered for the message.
    const auto only_with_size = [&](const char* name, auto apply) {
        return [&test, name, apply](std::optional<std::string> value) -> Result<void> {
            if (test.first_option.empty()) test.first_option = name;
            return apply(value ? *value : std::string{});
        };
    };
    cli.option("--test-hosts=HOSTLIST",
               only_with_size("hosts",
                              [&](std::string text) -> Result<void> {
                                  SLUICE_TRY(test.hosts, Hostlist::parse(text));
                                  return {};
                              }),
               "set the host names of the brokers");
    const auto exit_timeout = [&](std::string text) -> Result<void> {
        SLUICE_TRY(test.exit_timeout, fsd_parse(text));
        return {};
    };
    cli.option("--test-exit-timeout=FSD", only_with_size("exit-timeout", exit_timeout),
               "kill the other brokers this long after the first has ended (20s)");
    cli.option("--killer-timeout=FSD", only_with_size("exit-timeout", exit_timeout), "");
    cli.option("--test-exit-mode=any|leader",
               only_with_size("exit-mode",
                              [&](std::string text) -> Result<void> {
                                  test.leader_only = text == "leader";
                                  return one_of("test-exit-mode", text, "any", "leader");
                              }),
               "whose exit code counts (any)");
    cli.option("--test-start-mode=all|leader",
               only_with_size("start-mode",
                              [&](std::string text) -> Result<void> {
                                  test.start_leader_only = text == "leader";
                                  return one_of("test-start-mode", text, "all", "leader");
                              }),
               "which brokers to start (all)");
    cli.option("--test-rundir=DIR",
               only_with_size("rundir",
                              [&](std::string text) -> Result<void> {
                                  test.rundir = std::move(text);
                                  return {};
                              }),
               "use this folder, which must exist, as rundir");
    cli.option("--test-rundir-cleanup",
               only_with_size("rundir-cleanup",
                              [&](const std::string&) -> Result<void> {
                                  test.rundir_cleanup = true;
                                  return {};
                              }),
               "remove the folder of --test-rundir at the end");
    cli.option("--test-pmi-clique=single|per-broker|none|TASKMAP",
               only_with_size("pmi-clique",
                              [&](std::string text) -> Result<void> {
                                  test.clique = std::move(text);
                                  return {};
                              }),
               "which brokers seem to share a node (single)");
}

/// Options for the broker that --recovery stands for.
Result<std::vector<std::string>> recovery_options(const Options& options) {
    std::vector<std::string> words;
    if (!options.recover) return words;
    words = {"-Sbroker.recovery-mode=1", "-Sbroker.quorum=1", "-Sbroker.module-nopanic=1",
             "-Slog-stderr-level=5"};
    const std::string target = options.recovery.empty() ? system_statedir : options.recovery;
    if (options.recovery.empty() && Handle::open("local:///run/flux/local"))
        return fail(EBUSY, "system instance is already running");
    struct stat status {};
    if (::stat(target.c_str(), &status) != 0)
        return fail(errno, "{}: {}", target, std::strerror(errno));
    if (S_ISREG(status.st_mode)) {
        words.push_back("-Scontent.restore=" + target);
        return words;
    }
    if (status.st_uid != ::getuid()) return fail(EPERM, "{}: not owned by this user", target);
    if (::access(target.c_str(), R_OK | W_OK | X_OK) != 0)
        return fail(EACCES, "{}: no access; recovery needs to read and write it", target);
    if (::access((target + "/content.sqlite").c_str(), F_OK) != 0)
        return fail(ENOENT, "{}: no content.sqlite found within", target);
    words.push_back("-Sstatedir=" + target);
    return words;
}

Result<std::vector<std::string>> broker_command(const Options& options) {
    std::vector<std::string> words = options.wrap;
    words.push_back(helper_program("flux-broker"));
    for (const std::string& attribute : options.attributes) words.push_back("-S" + attribute);
    words.insert(words.end(), options.broker_options.begin(), options.broker_options.end());
    SLUICE_TRY(const std::vector<std::string> recovery, recovery_options(options));
    words.insert(words.end(), recovery.begin(), recovery.end());
    const bool system = options.sysconfig || (options.recover && options.recovery.empty());
    if (system) words.push_back(fmt::format("-c{}", system_config));
    for (const std::string& path : options.config_path) words.push_back("-c" + path);
    for (const std::string& value : options.conf) words.push_back("--conf=" + value);
    return words;
}

int exec_broker(const Cli& cli, std::vector<std::string> command, const Options& options) {
    command.insert(command.end(), cli.words().begin(), cli.words().end());
    if (options.verbose) {
        std::string shown;
        for (const std::string& word : command) shown += (shown.empty() ? "" : " ") + word;
        fmt::print(stderr, "flux-start: {}\n", shown);
    }
    if (options.noexec) return 0;
    std::vector<char*> argv;
    for (std::string& word : command) argv.push_back(word.data());
    argv.push_back(nullptr);
    ::execvp(argv[0], argv.data());
    return cli.error(fmt::format("{}: {}", command[0], std::strerror(errno)));
}

}  // namespace

int cmd_start(int argc, char** argv) {
    Options options;
    Cli cli("flux-start", CliStyle::c_tool, "[OPTIONS] [initial-program [args...]]",
            "Start an instance of Flux.");
    cli.option("-S,--setattr=ATTR=VAL,...", append_parts(options.attributes),
               "set broker attributes");
    cli.option("-c,--config-path=PATH", options.config_path,
               "configuration: a folder of *.toml, or a .toml or .json file");
    cli.option("--conf=VALUE", options.conf, "add to the configuration");
    cli.option("-o,--broker-opts=OPTS,...", append_parts(options.broker_options),
               "more options for the broker");
    cli.alias("broker-opt");
    cli.option(
        "-v,--verbose[=LEVEL]",
        [&](std::optional<std::string> level) -> Result<void> {
            options.verbose = level ? std::atoi(level->c_str()) : options.verbose + 1;
            return {};
        },
        "show the commands (1) and the PMI exchange (2)");
    cli.flag("-X,--noexec", options.noexec, "do not start anything");
    cli.option("--wrap=ARGS,...", append_parts(options.wrap), "words before the broker's path");
    cli.option(
        "-r,--recovery[=TARGET]",
        [&](std::optional<std::string> target) -> Result<void> {
            options.recover = true;
            if (target) options.recovery = *target;
            return {};
        },
        "start in recovery mode from a statedir or a dump file");
    cli.flag("--sysconfig", options.sysconfig, "use the configuration of the system instance");
    declare_test_options(cli, options.test);
    if (const auto code = cli.parse(argc, argv)) return *code;

    if (options.test.size == 0 && !options.test.first_option.empty())
        return cli.error(
            fmt::format("--test-{} only works with --test-size", options.test.first_option));
    char folder[PATH_MAX];
    if (!::getcwd(folder, sizeof folder))
        return cli.error(fmt::format("the working directory is gone: {}", std::strerror(errno)));
    const auto command = broker_command(options);
    if (!command) return cli.error(command.error().text());
    if (options.test.size == 0) return exec_broker(cli, *command, options);
    options.test.verbose = options.verbose;
    options.test.noexec = options.noexec;
    const Result<int> code = run_test_instance(*command, cli.words(), options.test);
    return code ? *code : cli.error(code.error().text());
}

}  // namespace sluice
