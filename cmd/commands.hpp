// The commands of `flux`: one function a command, listed in the table of main.cpp. Each gets its
// own argc and argv (argv[0] is the command's word) and returns the exit code.
#pragma once

#include <span>
#include <string_view>

namespace sluice {

/// Where `flux --help` lists a command.
enum class CommandGroup { submission, jobs, resources, instance, other };

struct Command {
    std::string_view name;
    int (*function)(int argc, char** argv);
    std::string_view summary;  // empty: not shown in help
    CommandGroup group = CommandGroup::other;
};

const Command* find_command(std::span<const Command> table, std::string_view name);
/// Runs the sub-command argv[1] of `program` ("flux-job"); argv[0] of the sub-command is its word.
/// Without one, or with an unknown one, prints the list on stderr; the exit code is then 1.
int run_subcommand(std::string_view program, std::span<const Command> table, int argc, char** argv);

int cmd_R(int argc, char** argv);
int cmd_admin(int argc, char** argv);
int cmd_cgroup(int argc, char** argv);
int cmd_cron(int argc, char** argv);
int cmd_filemap(int argc, char** argv);
int cmd_lptest(int argc, char** argv);
int cmd_modprobe(int argc, char** argv);
int cmd_python(int argc, char** argv);
int cmd_top(int argc, char** argv);
int cmd_alloc(int argc, char** argv);
int cmd_archive(int argc, char** argv);
int cmd_batch(int argc, char** argv);
int cmd_broker(int argc, char** argv);
int cmd_bulksubmit(int argc, char** argv);
int cmd_cancel(int argc, char** argv);
int cmd_config(int argc, char** argv);
int cmd_content(int argc, char** argv);
int cmd_dmesg(int argc, char** argv);
int cmd_env(int argc, char** argv);
int cmd_event(int argc, char** argv);
int cmd_exec(int argc, char** argv);
int cmd_getattr(int argc, char** argv);
int cmd_help(int argc, char** argv);
int cmd_hostlist(int argc, char** argv);
int cmd_housekeeping(int argc, char** argv);
int cmd_job(int argc, char** argv);
int cmd_jobs(int argc, char** argv);
int cmd_jobtap(int argc, char** argv);
int cmd_keygen(int argc, char** argv);
int cmd_kvs(int argc, char** argv);
int cmd_logger(int argc, char** argv);
int cmd_lsattr(int argc, char** argv);
int cmd_module(int argc, char** argv);
int cmd_multi_prog(int argc, char** argv);
int cmd_overlay(int argc, char** argv);
int cmd_pgrep(int argc, char** argv);
int cmd_ping(int argc, char** argv);
int cmd_pkill(int argc, char** argv);
int cmd_pmi(int argc, char** argv);
int cmd_proxy(int argc, char** argv);
int cmd_pstree(int argc, char** argv);
int cmd_queue(int argc, char** argv);
int cmd_relay(int argc, char** argv);
int cmd_resource(int argc, char** argv);
int cmd_resource_query(int argc, char** argv);
int cmd_run(int argc, char** argv);
int cmd_setattr(int argc, char** argv);
int cmd_shutdown(int argc, char** argv);
int cmd_simulate(int argc, char** argv);
int cmd_sproc(int argc, char** argv);
int cmd_start(int argc, char** argv);
int cmd_startlog(int argc, char** argv);
int cmd_submit(int argc, char** argv);
int cmd_update(int argc, char** argv);
int cmd_uptime(int argc, char** argv);
int cmd_uri(int argc, char** argv);
int cmd_version(int argc, char** argv);
int cmd_watch(int argc, char** argv);

// flux job
int job_attach(int argc, char** argv);
int job_status(int argc, char** argv);

}  // namespace sluice
