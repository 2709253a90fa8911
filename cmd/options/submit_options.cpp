#include "cmd/options/submit_options.hpp"

#include <algorithm>

namespace sluice {
namespace {

/// Declares options that append their text under a name.
class TextDeclarer {
  public:
    TextDeclarer(Cli& cli, SubmitOptions& options) : cli_(cli), options_(options) {}

    void operator()(std::string_view spec, std::string_view name, std::string help) {
        cli_.option(
            spec,
            [&options = options_, name](std::optional<std::string> value) {
                options.texts.push_back({name, value.value_or("")});
                return Result<void>{};
            },
            std::move(help));
    }

  private:
    Cli& cli_;
    SubmitOptions& options_;
};

void declare_geometry(Cli& cli, SubmitOptions& options, SubmitVerb verb) {
    TextDeclarer text(cli, options);
    text("-N,--nodes=N", "nodes", "Number of nodes to allocate");
    cli.flag("-x,--exclusive", options.exclusive, "Allocate whole nodes (with --nodes)");
    text("--resources-shape=SHAPE", "resources-shape",
         "Resources in the words of RFC 46 (slot=4/core=2), instead of those of other options");
    text("--resources-json=FILE", "resources-json", "Resources of a jobspec, read from FILE");
    if (makes_instance(verb)) {
        text("-n,--nslots=N", "ntasks", "Number of slots to allocate");
        text("-c,--cores-per-slot=N", "cores-per-task", "Cores per slot (1)");
        text("-g,--gpus-per-slot=N", "gpus-per-task", "GPUs per slot");
        return;
    }
    text("-n,--ntasks=N", "ntasks", "Number of tasks to start (1)");
    text("-c,--cores-per-task=N", "cores-per-task", "Cores per task (1)");
    text("-g,--gpus-per-task=N", "gpus-per-task", "GPUs per task");
    text("--cores=N", "cores", "Total number of cores");
    text("--tasks-per-node=N", "tasks-per-node", "Tasks to start on each node");
    text("--tasks-per-core=N", "tasks-per-core", "Tasks to start on each core");
    text("--gpus-per-node=N", "gpus-per-node", "GPUs on each node (with --nodes)");
    text("--taskmap=SCHEME[:VALUE]", "taskmap", "How tasks are mapped to nodes");
}

void declare_job(Cli& cli, SubmitOptions& options) {
    TextDeclarer text(cli, options);
    text("-t,--time-limit=MIN|FSD", "time-limit", "Time limit in minutes, or with a unit");
    text("-q,--queue=NAME", "queue", "Submit to this queue");
    text("-B,--bank=NAME", "bank", "Account the job to this bank");
    text("--urgency=N", "urgency", "0-31, hold, default (16) or expedite");
    text("--job-name=NAME", "job-name", "Name of the job");
    text("-o,--setopt=KEY[=VAL]", "setopt", "Set a shell option");
    text("-S,--setattr=KEY[=VAL]", "setattr", "Set a jobspec attribute");
    text("--add-file=[NAME[:PERMS]=]ARG", "add-file", "Give the job a file or inline text");
    text("--dependency=URI", "dependency", "Wait for a dependency");
    text("--begin-time=+FSD|DATETIME", "begin-time", "Start no earlier than this");
    text("--requires=EXPR", "requires", "Constrain the resources (RFC 35)");
    cli.alias("require");
    text("--env=RULE", "env", "Set, import or remove (-PATTERN) environment variables");
    text("--env-remove=PATTERN", "env-remove", "Remove environment variables");
    text("--env-file=FILE", "env-file", "Read environment rules from a file");
    text("--rlimit=RULE", "rlimit", "Set, import or drop resource limits");
    text("--cwd=DIR", "cwd", "Working directory of the job");
    text("--flags=LIST", "flags", "Job flags: debug, waitable, novalidate");
    text("--signal=[SIG][@TIME]", "signal", "Signal to send TIME before the time limit");
    cli.flag("--dry-run", options.dry_run, "Print the jobspec and submit nothing");
    cli.alias("dry");
    cli.flag("--quiet", options.quiet, "Do not print the job id");
    cli.flag("--list-plugins", options.list_plugins, "List the plugins of this command");
}

void declare_io(Cli& cli, SubmitOptions& options, SubmitVerb verb) {
    TextDeclarer text(cli, options);
    const bool hidden = makes_instance(verb);
    const auto help = [hidden](const char* words) { return std::string{hidden ? "" : words}; };
    text("--input=FILE|TASKS", "input", help("Standard input from a file, or to these tasks"));
    text("--output=TEMPLATE", "output", help("Standard output to a file"));
    text("--error=TEMPLATE", "error", help("Standard error to a file"));
    cli.flag("-u,--unbuffered", options.unbuffered, help("Do not buffer input and output"));
    cli.flag("-l,--label-io", options.label_io, help("Put the task's rank before each line"));
}

void declare_many(Cli& cli, SubmitOptions& options, SubmitVerb verb) {
    TextDeclarer text(cli, options);
    text("--cc=IDSET", "cc", "Submit a copy per id, {cc} and FLUX_JOB_CC are the id");
    text("--bcc=IDSET", "bcc", "As --cc without FLUX_JOB_CC");
    cli.flag("--wait", options.wait, "Wait for the jobs to end");
    text("--wait-event=NAME", "wait-event", "Wait for an event of each job");
    cli.flag("--watch", options.watch, "Copy the output of the jobs");
    text("--log=FILE", "log", "Send job ids and errors to a file");
    text("--log-stderr=FILE", "log-stderr", "Send errors to a file");
    cli.flag("--progress", options.progress, "Show progress on a terminal");
    cli.flag("--jps", options.jps, "Show jobs per second in the progress line");
    if (verb != SubmitVerb::bulksubmit) return;
    cli.flag("--shuffle", options.shuffle, "Submit in random order");
    text("--sep=STRING", "sep", "What separates inputs in files (newline; none: blanks)");
    text("--define=NAME=CODE", "define", "Define {.NAME} as a Python expression of x");
}

void declare_instance(Cli& cli, SubmitOptions& options, SubmitVerb verb) {
    TextDeclarer text(cli, options);
    text("--conf=CONF", "conf", "Configuration of the new instance: KEY=VAL, a file or a name");
    text("--broker-opts=OPTS", "broker-opts", "Options of its brokers, separated by commas");
    cli.alias("broker-opt");
    text("--add-brokers=N", "add-brokers", "");
    cli.option(
        "--dump[=FILE]",
        [&options](std::optional<std::string> value) {
            options.dump = true;
            if (value) options.texts.push_back({"dump", *value});
            return Result<void>{};
        },
        "Archive the finished instance's data");
    if (verb == SubmitVerb::batch)
        cli.flag("--wrap", options.wrap, "Make a script of the command words");
    else
        cli.flag("--bg", options.background, "Start in the background and print the job id");
}

}  // namespace

std::string program_name(SubmitVerb verb) {
    switch (verb) {
        case SubmitVerb::run:
            return "flux-run";
        case SubmitVerb::submit:
            return "flux-submit";
        case SubmitVerb::bulksubmit:
            return "flux-bulksubmit";
        case SubmitVerb::batch:
            return "flux-batch";
        case SubmitVerb::alloc:
            return "flux-alloc";
    }
    return "flux";
}

std::optional<std::string> SubmitOptions::last(std::string_view name) const {
    const auto found = std::find_if(texts.rbegin(), texts.rend(),
                                    [&](const OptionText& text) { return text.name == name; });
    if (found == texts.rend()) return std::nullopt;
    return found->text;
}

std::string SubmitOptions::last_or(std::string_view name, std::string fallback) const {
    return last(name).value_or(std::move(fallback));
}

std::vector<std::string> SubmitOptions::all(std::string_view name) const {
    std::vector<std::string> found;
    for (const OptionText& text : texts)
        if (text.name == name) found.push_back(text.text);
    return found;
}

void declare_submit_options(Cli& cli, SubmitOptions& options, SubmitVerb verb) {
    declare_geometry(cli, options, verb);
    declare_job(cli, options);
    declare_io(cli, options, verb);
    if (submits_many(verb)) declare_many(cli, options, verb);
    if (makes_instance(verb)) declare_instance(cli, options, verb);
    if (verb == SubmitVerb::run) {
        TextDeclarer text(cli, options);
        text("--wait-event=NAME", "wait-event", "Detach once this event is seen");
    }
    if (verb != SubmitVerb::batch)
        cli.count("-v,--verbose", options.verbose, "Say more (may be repeated)");
}

const std::vector<ReplaceableOption>& replaceable_options() {
    static const std::vector<ReplaceableOption> table = {
        {"queue", "-q"},
        {"bank", "-B"},
        {"ntasks", "-n"},
        {"nodes", "-N"},
        {"cores-per-task", "-c"},
        {"gpus-per-task", "-g"},
        {"cores", "--cores="},
        {"tasks-per-node", "--tasks-per-node="},
        {"tasks-per-core", "--tasks-per-core="},
        {"gpus-per-node", "--gpus-per-node="},
        {"time-limit", "-t"},
        {"env", "--env=", true},
        {"env-remove", "--env-remove=", true},
        {"env-file", "--env-file=", true},
        {"urgency", "--urgency="},
        {"setopt", "-o ", true},
        {"setattr", "--setattr=", true},
        {"job-name", "--job-name="},
        {"input", "--input="},
        {"output", "--output="},
        {"error", "--error="},
        {"cc", "--cc="},
        {"bcc", "--bcc="},
        {"log", "--log="},
        {"log-stderr", "--log-stderr="},
        {"dependency", "--dependency=", true},
        {"taskmap", "--taskmap="},
        {"requires", "--requires=", true},
        {"wait-event", "--wait-event="},
        {"cwd", "--cwd="},
        {"flags", "--flags="},
        {"begin-time", "--begin-time="},
        {"signal", "--signal="},
    };
    return table;
}

}  // namespace sluice
