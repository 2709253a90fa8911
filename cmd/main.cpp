// `flux`: finds the command and runs it, ours in this process, others by exec.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "base/paths.hpp"
#include "base/rpc/handle.hpp"
#include "cmd/cli.hpp"
#include "cmd/commands.hpp"
#include "cmd/dump.hpp"
#include "cmd/environment.hpp"
#include "cmd/manual.hpp"
#include "cmd/option_listing.hpp"

namespace sluice {
namespace {

using enum CommandGroup;

// One line a command; the order is that of `flux --help`.
constexpr Command commands[] = {
    {"R", cmd_R, "Make, combine and show resource sets", resources},
    {"admin", cmd_admin, "What administrators and rc scripts need", other},
    {"alloc", cmd_alloc, "Allocate resources and start an instance on them", submission},
    {"archive", cmd_archive, "Store files in the KVS and extract them", instance},
    {"batch", cmd_batch, "Submit a batch script", submission},
    {"broker", cmd_broker, "Run one broker of an instance", instance},
    {"bulksubmit", cmd_bulksubmit, "Submit a job for each of many inputs", submission},
    {"cancel", cmd_cancel, "Cancel one or more jobs", jobs},
    {"cgroup", cmd_cgroup, "", other},
    {"config", cmd_config, "Print and change the configuration of the instance", instance},
    {"content", cmd_content, "Store and load blobs by their hash", instance},
    {"cron", cmd_cron, "Run commands at intervals, events and dates", instance},
    {"dmesg", cmd_dmesg, "Print or clear the log of the broker", other},
    {"dump", cmd_dump, "Write a snapshot of the KVS to an archive", instance},
    {"env", cmd_env, "Print the environment of an instance or run a command in it", instance},
    {"event", cmd_event, "Publish events, and print those that come", instance},
    {"exec", cmd_exec, "Run commands on brokers of the instance", instance},
    {"filemap", cmd_filemap, "", other},
    {"fsck", cmd_fsck, "Check that the content store is whole", instance},
    {"gc", cmd_gc, "Delete unreferenced blobs from the content store", instance},
    {"getattr", cmd_getattr, "Print a broker attribute", instance},
    {"help", cmd_help, "Display help for a command", other},
    {"hostlist", cmd_hostlist, "Combine and show lists of hosts", other},
    {"housekeeping", cmd_housekeeping, "List and signal housekeeping scripts", resources},
    {"job", cmd_job, "Act on jobs: attach, info, wait, kill and more", jobs},
    {"jobs", cmd_jobs, "List jobs submitted to Flux", jobs},
    {"jobtap", cmd_jobtap, "List the plugins of the job manager", instance},
    {"keygen", cmd_keygen, "Make a CURVE certificate", instance},
    {"kvs", cmd_kvs, "Store and look up keys and values", instance},
    {"logger", cmd_logger, "Write a line to the log of the broker", other},
    {"lptest", cmd_lptest, "", other},
    {"lsattr", cmd_lsattr, "List broker attributes", instance},
    {"modprobe", cmd_modprobe, "Load and remove modules with what they need", instance},
    {"module", cmd_module, "List and control the modules of the broker", instance},
    {"multi-prog", cmd_multi_prog, "Run a different program on each rank of a job", submission},
    {"overlay", cmd_overlay, "Show the tree of brokers", instance},
    {"pgrep", cmd_pgrep, "List jobs by name or attributes", jobs},
    {"ping", cmd_ping, "Measure round trips to a service", instance},
    {"pkill", cmd_pkill, "Cancel jobs by name or attributes", jobs},
    {"pmi", cmd_pmi, "Exercise the PMI server of a job", other},
    {"proxy", cmd_proxy, "Run a shell or command against another instance", instance},
    {"pstree", cmd_pstree, "Show the tree of jobs", jobs},
    {"python", cmd_python, "", other},
    {"queue", cmd_queue, "List and control queues", resources},
    {"relay", cmd_relay, "", other},
    {"resource", cmd_resource, "List and control resources", resources},
    {"resource-query", cmd_resource_query, "Ask a resource graph what jobs would get", resources},
    {"restore", cmd_restore, "Read a snapshot of the KVS from an archive", instance},
    {"run", cmd_run, "Run a job interactively", submission},
    {"setattr", cmd_setattr, "Set a broker attribute", instance},
    {"shutdown", cmd_shutdown, "Shut down an instance", instance},
    {"simulate", cmd_simulate, "Play a workload in virtual time through the scheduler", resources},
    {"sproc", cmd_sproc, "List and control background processes", instance},
    {"start", cmd_start, "Start an instance", instance},
    {"startlog", cmd_startlog, "List when the instance started and ended", instance},
    {"submit", cmd_submit, "Submit a job", submission},
    {"top", cmd_top, "Show what an instance does, on the whole terminal", jobs},
    {"update", cmd_update, "Update attributes of a job", jobs},
    {"uptime", cmd_uptime, "Show how long the instance has been running", resources},
    {"uri", cmd_uri, "Resolve a job id to the URI of its instance", jobs},
    {"version", cmd_version, "Display version information", other},
    {"watch", cmd_watch, "Copy the output of jobs until they end", jobs},
};

struct GroupTitle {
    CommandGroup group;
    std::string_view title;
};
constexpr GroupTitle group_titles[] = {
    {submission, "run and submit jobs, allocate resources"},
    {jobs, "list and interact with jobs"},
    {resources, "get resource, queue and other instance information"},
    {instance, "instances, hosts and data"},
    {other, "other useful commands"},
};

struct Options {
    bool help = false, verbose = false, version = false, root = false, list_options = false;
    int parents = 0;
};

void print_help() {
    fmt::print(stderr,
               "Usage: flux [OPTIONS] COMMAND ARGS\n"
               "  -h, --help             Display this message\n"
               "  -v, --verbose          Show the environment and the lookup of COMMAND\n"
               "  -V, --version          Display version information\n"
               "  -p, --parent           Use the parent instance (may be repeated)\n"
               "  -r, --root             Use the root instance\n\n"
               "Common commands from flux-core:\n");
    for (const GroupTitle& title : group_titles) {
        bool first = true;
        for (const Command& command : commands) {
            if (command.group != title.group || command.summary.empty()) continue;
            if (first) fmt::print(stderr, "\n{}\n", title.title);
            first = false;
            fmt::print(stderr, "   {:<18} {}\n", command.name, command.summary);
        }
    }
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
        }
    }
    return row.back();
}

/// The commands closest to `word`, at most three, none when nothing is within three edits.
std::vector<std::string_view> similar_commands(std::string_view word) {
    constexpr std::size_t distance_max = 3, count_max = 3;
    std::size_t best = distance_max;
    for (const Command& command : commands)
        best = std::min(best, edit_distance(word, command.name));
    std::vector<std::string_view> names;
    for (const Command& command : commands)
        if (names.size() < count_max && edit_distance(word, command.name) == best)
            names.push_back(command.name);
    return names;
}

int unknown_command(std::string_view word) {
    fmt::print(stderr, "flux: `{}' is not a flux command.  See 'flux --help'\n", word);
    const auto names = similar_commands(word);
    if (!names.empty())
        fmt::print(stderr, "\nflux: The most similar command{}\n",
                   names.size() == 1 ? " is" : "s are");
    for (const std::string_view name : names) fmt::print(stderr, "\t{}\n", name);
    return 1;
}

/// Points FLUX_URI at the parent instance; at the root there is nothing to do.
Result<void> use_parent(const Options& options) {
    for (int i = 0; options.root || i < options.parents; ++i) {
        SLUICE_TRY(Handle flux, Handle::open());
        const Result<std::string> uri = flux.attr("parent-uri");
        if (!uri) return {};
        const Result<std::string> kvs_namespace = flux.attr("parent-kvs-namespace");
        ::setenv("FLUX_URI", uri->c_str(), 1);
        if (kvs_namespace)
            ::setenv("FLUX_KVS_NAMESPACE", kvs_namespace->c_str(), 1);
        else
            ::unsetenv("FLUX_KVS_NAMESPACE");
    }
    return {};
}

/// Replaces this process by flux-WORD from the search path, or by WORD itself if it is a path.
/// Returns the exit code when there is none.
int exec_command(const std::string& word, char** argv, bool verbose) {
    std::vector<std::string> candidates;
    if (word.find('/') != std::string::npos) {
        candidates = {word};
    } else {
        for (const std::string& folder : command_search_path())
            for (const char* suffix : {".py", ""})
                candidates.push_back(folder + "/flux-" + word + suffix);
    }
    for (const std::string& path : candidates) {
        if (verbose) fmt::print(stderr, "sub-command search: trying {}\n", path);
        if (::access(path.c_str(), X_OK) < 0) continue;
        ::execv(path.c_str(), argv);
    }
    return unknown_command(word);
}

/// A descriptor opened later must not pass for a standard stream that the caller had closed.
void open_standard_streams() {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
        if (::fcntl(fd, F_GETFD) < 0) ::open("/dev/null", fd == STDIN_FILENO ? O_RDONLY : O_WRONLY);
}

int front_end(int argc, char** argv) {
    open_standard_streams();
    Options options;
    Cli cli("flux", CliStyle::c_tool, "[OPTIONS] COMMAND ARGS", "");
    cli.flag("-h,--help", options.help, "");
    cli.flag("-v,--verbose", options.verbose, "");
    cli.flag("-V,--version", options.version, "");
    cli.count("-p,--parent", options.parents, "");
    cli.flag("-r,--root", options.root, "");
    cli.flag("--list-options", options.list_options, "");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (options.list_options) {
        print_option_tables(commands);
        return 0;
    }
    if (options.help) {
        print_help();
        return 0;
    }
    std::vector<std::string> words = cli.words();
    if (options.version) words = {"version"};
    if (words.empty()) {
        print_help();
        return 1;
    }
    if (const Result<void> done = use_parent(options); !done) return cli.error(done.error().text());
    prepare_environment(argv[0], options.verbose);
    std::vector<char*> command_argv;
    for (std::string& word : words) command_argv.push_back(word.data());
    command_argv.push_back(nullptr);
    if (const Command* command = find_command(commands, words[0]))
        return command->function(static_cast<int>(words.size()), command_argv.data());
    return exec_command(words[0], command_argv.data(), options.verbose);
}

}  // namespace

int cmd_help(int argc, char** argv) {
    Cli cli("flux-help", CliStyle::c_tool, "[TOPIC...]", "Display help for a command.");
    if (const auto code = cli.parse(argc, argv)) return *code;
    std::vector<std::string> words = cli.words();
    if (words.empty()) {
        print_help();
        return 0;
    }
    std::string& topic = words.front();
    if (words.size() == 1 && show_manual(topic.starts_with("flux") ? topic : "flux-" + topic))
        return 0;
    const Command* command = find_command(commands, topic);
    if (!command) return unknown_command(topic);
    words.emplace_back("--help");
    std::vector<char*> help_argv;
    for (std::string& word : words) help_argv.push_back(word.data());
    help_argv.push_back(nullptr);
    return command->function(static_cast<int>(words.size()), help_argv.data());
}

}  // namespace sluice

int main(int argc, char** argv) {
    const int code = sluice::front_end(argc, argv);
    const bool full = std::fflush(stdout) != 0;
    if (!full && !std::ferror(stdout)) return code;
    fmt::print(stderr, "flux: standard output: {}\n",
               full ? std::strerror(errno) : "not all of it could be written");
    return code ? code : 1;
}
