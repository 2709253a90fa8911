#include "shell/run/shell.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <signal.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "base/aio/descendants.hpp"
#include "base/config_path.hpp"
#include "base/paths.hpp"
#include "base/rfc/fluid.hpp"
#include "base/rfc/fsd.hpp"
#include "base/rpc/content_client.hpp"
#include "shell/run/shell_parts.hpp"
#include "shell/run/stage_in.hpp"

namespace sluice::shell {
namespace {

constexpr const char* exec_path = "guest.exec.eventlog";

Error about(std::string_view thing) {
    return fail(errno, "{}: {}", thing, Error{errno}.text());
}

/// As the user wrote it: "30s" for the default, "1m" stays "1m".
std::string exit_timeout_text(const Jobspec& jobspec) {
    const Json* value = jobspec.shell_option("exit-timeout");
    if (!value) return "30s";
    return value->is_string() ? std::string(value->get_string()) : dump_json(*value) + "s";
}

}  // namespace

Shell::Shell(Handle handle, LaunchInfo info, const Topology* topology, SpareFolder& spare)
    : handle_(std::move(handle)),
      info_(std::move(info)),
      topology_(topology),
      spare_(spare),
      exit_timer_(handle_.io()),
      signal_timer_(handle_.io()),
      rexec_timer_(handle_.io()),
      output_timer_(handle_.io()),
      reap_timer_(handle_.io()),
      probe_timer_(handle_.io()) {}

int Shell::run() {
    adopt_orphans();
    ShellFsm::Options fsm;
    fsm.shell_rank = info_.shell_rank;
    fsm.nnodes = info_.nnodes;
    const Result<void> prepared = prepare();
    if (prepared) {
        fsm.ranks = plan_.ranks;
        fsm.exit_timeout = options_.exit_timeout;
        fsm.exit_timeout_text = exit_timeout_text(info_.jobspec);
        fsm.exit_on_error = options_.exit_on_error;
        fsm.job_name = info_.jobspec.name();
        fsm.hostname = info_.hostname;
    }
    fsm_.emplace(std::move(fsm));
    handle_.on_lost([this] {
        perform(fsm_->on_lost_broker());
        try_finish();
    });
    listen_to_launcher();
    perform(prepared ? fsm_->begin()
                     : fsm_->on_fatal({LogLevel::fatal, "", prepared.error().text()}));
    while (!exit_code_) {
        if (handle_.io().stopped()) handle_.io().restart();
        if (handle_.io().run_one() == 0) break;
    }
    handle_.flush();
    return exit_code_.value_or(1);
}

Result<void> Shell::prepare() {
    const Result<void> readable = read_options();
    // From here on there are logs to tell the user; also when the options were wrong.
    log_.emplace(handle_, info_.id, options_.batch_timeout);
    output_.emplace(Output::Parts{info_, options_, plan_, handle_, *log_});
    const auto resume = [this] {
        for (const auto& task : tasks_) task->resume_output();
        if (input_) input_->on_room();
    };
    log_->on_relief(resume);
    output_->on_relief(resume);
    const Result<void> folder = enter_folder();
    const Result<void> begun = output_->begin(mustache_values());
    SLUICE_CHECK(readable);
    SLUICE_CHECK(folder);
    SLUICE_CHECK(begun);
    tell_settings();
    const auto fatal = [this](LogText text) { perform(fsm_->on_fatal(std::move(text))); };
    input_.emplace(Input::Parts{info_, options_, handle_, *log_, tasks_, fatal});
    SLUICE_CHECK(input_->begin());
    SLUICE_CHECK(make_folder());
    SLUICE_CHECK(stage_files());
    start_service();
    SLUICE_CHECK(start_pmi());
    environment_ = job_environment(info_, options_,
                                   {folder_->path(), helper_library("libpmi.so"), plan_.ntasks});
    SLUICE_CHECK(make_tmpdir());
    SLUICE_CHECK(export_topology());
    if (options_.sysmon)
        sysmon_.emplace(handle_.io(), options_.sysmon_period,
                        Sysmon::Report{[this](std::string text) { warn("sysmon", text); },
                                       [this](std::string text) {
                                           if (options_.verbose > 1)
                                               output_->log({LogLevel::trace, "sysmon", text});
                                       },
                                       [this](std::string text) { notice("sysmon", text); }});
    schedule_signal(info_.resources.expiration);
    return {};
}

Result<void> Shell::read_options() {
    const Json* options = find_path(info_.jobspec.json, "attributes.system.shell.options");
    // Planned first: messages about options name tasks too.
    plan_.ntasks = 1;
    const bool guest = info_.userid != info_.owner;
    SLUICE_TRY(options_, ShellOptions::from_json(options ? options->if_object() : nullptr,
                                                 guest ? ShellOptions::for_guests()
                                                       : ShellOptions{}));
    SLUICE_CHECK(read_hostfile());
    SLUICE_TRY(plan_, plan_tasks(info_.jobspec, info_.resources, info_.shell_rank,
                                 options_.taskmap_scheme, options_.taskmap_value));
    SLUICE_TRY(affinity_, parse_affinity("cpu-affinity", options_.cpu_affinity));
    SLUICE_TRY(const AffinityOptions gpus, parse_affinity("gpu-affinity", options_.gpu_affinity));
    const ResourceSet::Node& node = info_.node();
    if (topology_)
        cpus_ = assign_cpus(affinity_, node.cores, topology_->pus_of_core(), plan_.ranks.size());
    gpus_ = assign_gpus(gpus, node.gpus, plan_.ranks.size());
    for (const auto& [name, soft] : options_.rlimits)
        if (const int resource = rlimit_resource(name); resource >= 0)
            rlimits_.emplace_back(resource, soft);
    return {};
}

Result<void> Shell::enter_folder() {
    const std::string& cwd = info_.jobspec.cwd;
    if (cwd.empty() || ::chdir(cwd.c_str()) == 0) return {};
    output_->log({LogLevel::error, "",
                  fmt::format("host {}: Could not change dir to {}: {}. Going to /tmp instead",
                              info_.hostname, cwd, Error{errno}.text())});
    if (::chdir("/tmp") != 0) return about("/tmp");
    return {};
}

Result<void> Shell::make_folder() {
    SLUICE_TRY(JobFolder folder,
               JobFolder::create(fmt::format("{}/jobtmp-{}-{}", info_.rundir, info_.shell_rank,
                                             to_f58plain(info_.id)),
                                 spare_));
    folder_.emplace(std::move(folder));
    if (const Json* files = find_path(info_.jobspec.json, "attributes.system.files"))
        if (const JsonObject* object = files->if_object())
            SLUICE_CHECK(folder_->add_files(
                *object, [this](const std::string& ref) { return load_blob(handle_, ref); }));
    return {};
}

Result<void> Shell::stage_files() {
    if (!options_.stage_in) return {};
    const ShellOptions::StageIn& wanted = *options_.stage_in;
    if (wanted.old_spelling && info_.leader())
        output_->log({LogLevel::warning, "stage-in",
                      "stage-in.tags is deprecated; write stage-in.names"});
    if (wanted.once && !info_.leader()) return {};
    return stage_in(handle_, wanted, folder_->path(), [this](const std::string& path) {
        if (options_.verbose > 1) output_->log({LogLevel::trace, "stage-in", path});
    });
}

/// The file of --taskmap=hostfile:FILE takes the place of its name.
Result<void> Shell::read_hostfile() {
    if (options_.taskmap_scheme != "hostfile") return {};
    const std::filesystem::path path =
        std::filesystem::path{info_.jobspec.cwd} / options_.taskmap_value;
    auto text = read_text_file(path);
    if (!text) return text.error().in("taskmap: hostfile");
    options_.taskmap_value = *std::move(text);
    return {};
}

/// The submitter's TMPDIR may not exist on this node.
Result<void> Shell::make_tmpdir() {
    const auto tmpdir = environment_.find("TMPDIR");
    if (tmpdir == environment_.end() || tmpdir->second.empty()) return {};
    std::error_code error;
    std::filesystem::create_directories(tmpdir->second, error);
    if (error) tmpdir->second.assign("/tmp");
    return {};
}

Result<void> Shell::export_topology() {
    if (!options_.hwloc_xmlfile) return {};
    std::string path = *options_.hwloc_xmlfile;
    if (path.empty()) path = fmt::format("{}/hwloc.xml", folder_->path());
    if (!topology_) return fail(EIO, "hwloc.xmlfile: the topology of this node is not known");
    Idset cpus;
    if (options_.hwloc_restrict) {
        const auto all = assign_cpus({}, info_.node().cores, topology_->pus_of_core(), 1);
        cpus = all.front();
    }
    SLUICE_CHECK(topology_->write_xml(path, cpus));
    environment_["HWLOC_XMLFILE"] = path;
    environment_.erase("HWLOC_COMPONENTS");
    return {};
}

void Shell::listen_to_launcher() {
    handle_.on_pushed_event(fmt::format("shell-{}.", info_.id.value), [this](const Message& event) {
        const auto payload = parse_json_object(event.text());
        if (!payload) return;
        JsonReader in{*payload};
        if (event.method() == "kill") {
            const auto signum = in.integer("signum");
            if (in) perform(fsm_->on_kill(static_cast<int>(signum)));
            if (in && signum == SIGKILL && final_code_ && rexec_) rexec_->kill_all(SIGKILL);
        } else if (event.method() == "expiration") {
            const double expiration = in.number("expiration");
            if (in) schedule_signal(expiration);
        }
    });
}

/// The signal before the end of the job (option signal), at a time of the wall clock.
void Shell::schedule_signal(double expiration) {
    signal_timer_.cancel();
    if (!options_.signal || expiration <= 0) return;
    // At once, when less than that is left.
    const double wait =
        std::max(0.0, expiration - options_.signal->timeleft - wall_clock_now());
    if (!std::isfinite(wait)) return;
    signal_timer_.expires_after(std::chrono::milliseconds(std::llround(wait * 1000)));
    signal_timer_.async_wait([this](const boost::system::error_code& error) {
        if (error || !fsm_) return;
        tell_signal();
        perform(fsm_->on_kill(options_.signal->signum));
    });
}

void Shell::perform(const ShellActions& actions) {
    for (const ShellAction& action : actions)
        std::visit([this](const auto& chosen) { on(chosen); }, action);
}

void Shell::on(const action::EnterBarrier&) {
    log_->flush();  // the header must be in the log before any follower's output
    JsonObject payload;
    payload["id"] = static_cast<std::int64_t>(info_.id.value);
    payload["rank"] = info_.rank.value;
    handle_.send("job-exec.shell-barrier", payload, {.nodeid = 0}, [this](const Reply& reply) {
        perform(fsm_->on_barrier(reply.ok() ? Result<void>{} : Result<void>{reply.error()}));
    });
}

void Shell::on(const action::StartTasks&) {
    if (info_.leader()) post_init();
    if (sysmon_) sysmon_->begin();
    for (std::uint32_t localid = 0; localid < plan_.ranks.size(); ++localid) {
        const Result<void> started = start_task(localid);
        if (started) continue;
        perform(fsm_->on_start_failed(localid, started.error(), localid));
        return;
    }
    if (info_.leader()) post_start();
    perform(fsm_->on_started());
    reap_now_and_then();
    watch_for_mpi();
}

void Shell::post_init() {
    Event event{wall_clock_now(), "shell.init", {}};
    event.context["service"] = info_.service();
    event.context["leader-rank"] = info_.rank.value;
    event.context["size"] = info_.nnodes;
    if (terminus_) {
        event.context["pty"] = Terminus::method;
        if (options_.pty->capture) event.context["capture"] = 1;
    }
    log_->add(exec_path, event);
}

void Shell::post_start() {
    Event event{wall_clock_now(), "shell.start", {}};
    event.context["taskmap"] = plan_.taskmap.to_wrapped_json();
    if (options_.stop_tasks_in_exec) event.context["sync"] = true;
    log_->add(exec_path, event);
}

void Shell::on(const action::PostTaskExit& action) {
    log_->add(exec_path, {wall_clock_now(), "shell.task-exit", to_json(action.exit)});
}

void Shell::on(const action::TellExit& action) {
    JsonObject payload = to_json(action.exit);
    payload["hostname"] = info_.hostname;
    tell_leader("doom", payload);
}

void Shell::on(const action::TellComplete&) {
    JsonObject payload;
    payload["shell_rank"] = info_.shell_rank;
    tell_leader("tasks-complete", payload);
}

void Shell::on(const action::ArmExitTimer& action) {
    exit_timer_.expires_after(std::chrono::milliseconds(std::llround(action.seconds * 1000)));
    exit_timer_.async_wait([this](const boost::system::error_code& error) {
        if (!error) perform(fsm_->on_exit_timer());
    });
}

void Shell::on(const action::Raise& action) {
    JsonObject payload;
    payload["id"] = static_cast<std::int64_t>(info_.id.value);
    payload["type"] = "exec";
    payload["severity"] = 0;
    payload["note"] = readable_text(action.note);
    if (action.wait_status) payload["wait_status"] = *action.wait_status;
    log_->flush();  // what was said before comes before
    // A refusal (the job is over, or being cancelled) changes nothing for this shell.
    handle_.send("job-manager.raise", payload, {}, [](const Reply&) {});
}

void Shell::on(const action::Log& action) {
    output_->log(action.text);
}

void Shell::on(const action::Signal& action) {
    for (const auto& task : tasks_) task->kill(action.signum);
    if (terminus_) terminus_->give_up();
}

void Shell::on(const action::AbandonStreams&) {
    for (const auto& task : tasks_) task->abandon_streams();
}

MustacheValues Shell::mustache_values() const {
    MustacheValues values;
    values.id = info_.id;
    values.name = info_.jobspec.name();
    values.tmpdir =
        fmt::format("{}/jobtmp-{}-{}", info_.rundir, info_.shell_rank, to_f58plain(info_.id));
    values.nnodes = info_.nnodes;
    values.ntasks = plan_.ntasks;
    const ResourceSet::Node& node = info_.node();
    values.node = {
        info_.shell_rank, info_.rank.value,       static_cast<std::uint32_t>(node.cores.size()),
        info_.hostname,   node.cores.to_string(), node.gpus.to_string()};
    return values;
}

}  // namespace sluice::shell
