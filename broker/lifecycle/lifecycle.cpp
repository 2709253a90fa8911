#include "broker/lifecycle/lifecycle.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <cstdlib>
#include <filesystem>

#include "broker/config/attributes.hpp"
#include "broker/lifecycle/run_archive.hpp"
#include "broker/overlay/overlay.hpp"

extern char** environ;

namespace sluice {
namespace {

using Clock = std::chrono::steady_clock;

// EX_UNAVAILABLE: a script around us can tell a lead that was never there from one that was lost.
constexpr int exit_never_joined = 69;

double seconds_since(Clock::time_point then) {
    return std::chrono::duration<double>(Clock::now() - then).count();
}

/// The scripts in folder `stage`.d of each part of FLUX_RC_EXTRA, in order of their names.
std::vector<StageCommand> extra_scripts(const std::string& stage) {
    std::vector<StageCommand> commands;
    const char* variable = std::getenv("FLUX_RC_EXTRA");
    std::string_view rest = variable ? variable : "";
    while (!rest.empty()) {
        const std::size_t colon = std::min(rest.find(':'), rest.size());
        const std::filesystem::path folder = std::filesystem::path{rest.substr(0, colon)} / stage;
        rest.remove_prefix(std::min(colon + 1, rest.size()));
        std::error_code error;
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(folder, error))
            if (::access(entry.path().c_str(), X_OK) == 0) names.push_back(entry.path());
        std::ranges::sort(names);
        for (const std::string& name : names) commands.push_back({{name}, name, false});
    }
    return commands;
}

/// The user wants a script of his own in place of our built-in steps, which go by
/// the name of the reference's scripts.
bool has_own_script(const Attributes& attributes, const char* attribute) {
    if (!attributes.set_by_command_line(attribute)) return false;
    const std::string text = attributes.get_or(attribute, "");
    return text != "flux modprobe rc1" && text != "flux modprobe rc3";
}

/// A script of FLUX_RC_EXTRA that fails makes the stage fail; its own code is only logged.
int stage_code(const Attributes& attributes, const char* attribute, int code) {
    return code && !has_own_script(attributes, attribute) ? 1 : code;
}

/// The commands of a stage: the script of `attribute` when it is set, else those of FLUX_RC_EXTRA.
std::vector<StageCommand> stage_commands(const Attributes& attributes, const char* attribute,
                                         const std::string& folder) {
    if (!has_own_script(attributes, attribute)) return extra_scripts(folder);
    const std::string text = attributes.get_or(attribute, "");
    if (text.empty()) return {};
    return {shell_command(text)};
}

}  // namespace

Lifecycle::Lifecycle(BrokerContext& context, InitialProgram program, Effects effects)
    : context_(context),
      program_(std::move(program)),
      effects_(std::move(effects)),
      commands_(context.io, context.log),
      timer_(context.io),
      client_(context.router),
      entered_(Clock::now()) {}

double Lifecycle::seconds_in_state() const { return seconds_since(entered_); }

void Lifecycle::post(const std::string& event) {
    const BrokerState old = fsm_.state();
    const auto state = fsm_.on_event(event);
    if (!state) return;
    context_.log.info("broker", "{}: {}->{} {:.6g}s", event, broker_state_name(old),
                      broker_state_name(*state), seconds_in_state());
    entered_ = Clock::now();
    timer_.cancel();
    // Entered from the loop, so that whoever posted can finish first.
    boost::asio::post(context_.io, [this, state = *state] {
        if (fsm_.state() != state) return;
        on_change(state);
        context_.on_state(std::string{broker_state_name(state)});
        enter(state);
    });
}

void Lifecycle::enter(BrokerState state) {
    switch (state) {
        case BrokerState::load_builtins: return;
        case BrokerState::join:
            if (lead()) return post("parent-none");
            return enter_join();
        case BrokerState::config_sync:
            if (lead()) return post("sync-none");
            return effects_.sync_config([this](Result<void> synced) {
                if (!synced) fsm_.fail(1);
                if (!synced) say_last("config sync: " + synced.error().text());
                post(synced ? "sync-success" : "sync-fail");
            });
        case BrokerState::init: return enter_init();
        case BrokerState::quorum: return enter_quorum();
        case BrokerState::run: return enter_run();
        case BrokerState::cleanup: return enter_cleanup();
        case BrokerState::shutdown: return enter_shutdown();
        case BrokerState::finalize: return enter_finalize();
        case BrokerState::goodbye: return enter_goodbye();
        case BrokerState::unload_builtins: return post("builtins-done");
        case BrokerState::exit: return effects_.stop();
    }
}

std::vector<std::string> Lifecycle::environment() const {
    std::vector<std::string> ours;
    for (char** entry = environ; *entry; ++entry) ours.emplace_back(*entry);
    return program_environment(ours, context_.attributes.get_or("local-uri", ""),
                               context_.attributes.find("jobid"));
}

void Lifecycle::stage_done(const std::string& stage, int code) {
    if (code && stage == "rc1" && context_.attributes.integer_or("broker.recovery-mode", 0) == 1)
        return post("rc1-ignorefail");
    if (code) fsm_.fail(code);
    post(stage + (code ? "-fail" : "-success"));
}

void Lifecycle::run_steps(std::vector<StageStep> steps, std::size_t next,
                          std::function<void(int)> done) {
    if (next == steps.size()) return done(0);
    const StageStep step = steps[next];
    step.run([this, steps = std::move(steps), next, name = step.name,
              done = std::move(done)](Result<void> result) mutable {
        if (result) return run_steps(std::move(steps), next + 1, std::move(done));
        say_last(name + ": " + result.error().text());
        done(1);
    });
}

void Lifecycle::enter_init() {
    const bool own_rc1 = !has_own_script(context_.attributes, "broker.rc1_path");
    const auto plan = lead() && own_rc1 ? plan_restore(context_.attributes) : std::nullopt;
    if (!plan) return make_rc1_parts();
    context_.log.info("broker", "restoring content from {}", plan->file);
    commands_.run("rc1", {plan->command}, environment(), true, [this, plan = *plan](int code) {
        if (fsm_.state() != BrokerState::init) return;
        if (code) return stage_done("rc1", code);
        finish_restore(plan);
        make_rc1_parts();
    });
}

void Lifecycle::make_rc1_parts() {
    if (!has_own_script(context_.attributes, "broker.rc1_path")) {
        if (const Result<void> made = effects_.make_parts(); !made) {
            say_last(made.error().text());
            return stage_done("rc1", 1);
        }
    }
    run_steps(context_.rc1_steps, 0, [this](int code) { run_rc1_scripts(code); });
}

void Lifecycle::run_rc1_scripts(int code) {
    if (fsm_.state() != BrokerState::init) return;
    if (code) return stage_done("rc1", code);
    auto commands = stage_commands(context_.attributes, "broker.rc1_path", "rc1.d");
    if (commands.empty() && has_own_script(context_.attributes, "broker.rc1_path"))
        return post("rc1-none");
    commands_.run("rc1", std::move(commands), environment(), true, [this](int result) {
        stage_done("rc1", stage_code(context_.attributes, "broker.rc1_path", result));
    });
}

void Lifecycle::enter_quorum() {
    effects_.enter_group();
    quorum_since_ = Clock::now();
    warn_quorum();
    check_quorum();
}

void Lifecycle::check_quorum() {
    if (fsm_.state() != BrokerState::quorum) return;
    if (!lead()) {
        if (parent_ >= BrokerState::run) post("quorum-full");
        return;
    }
    const auto wanted = context_.attributes.integer_or("broker.quorum", context_.size);
    if (online_.size() >= static_cast<std::size_t>(wanted)) post("quorum-full");
}

void Lifecycle::warn_quorum() {
    const auto period = context_.attributes.seconds("broker.quorum-warn");
    if (!lead() || !period || *period <= 0) return;
    after(*period, [this] {
        const Idset missing = Idset::range(0, context_.size - 1) - online_;
        context_.log.err("broker", "quorum delayed: waiting for {}", hosts_text(missing));
        warn_quorum();
    });
}

void Lifecycle::enter_run() {
    if (!lead()) {
        if (parent_ > BrokerState::run) shutdown();
        return;
    }
    if (context_.attributes.has("broker.rc2_none")) return;
    commands_.run("rc2", {{program_.argv, program_.shown, true}}, environment(), !leads_group(),
                  [this](int code) { stage_done("rc2", code); });
}

bool Lifecycle::leads_group() const {
    return ::getpgrp() == ::getpid() && !context_.attributes.has("broker.rc2_pgrp");
}

void Lifecycle::hang_up_group() const {
    if (!leads_group() || !context_.attributes.find("jobid")) return;
    ::signal(SIGHUP, SIG_IGN);
    ::kill(0, SIGHUP);
}

void Lifecycle::enter_cleanup() {
    if (!lead()) return post("cleanup-none");
    std::vector<StageCommand> commands;
    for (const std::string& text : cleanup_commands_) commands.push_back(shell_command(text));
    commands_.run("cleanup", std::move(commands), environment(), true, [this](int code) {
        const bool disabled = std::getenv("FLUX_DISABLE_JOB_CLEANUP") != nullptr;
        run_steps(disabled ? std::vector<StageStep>{} : context_.cleanup_steps, 0,
                  [this, code](int more) { stage_done("cleanup", code ? code : more); });
    });
}

void Lifecycle::enter_shutdown() {
    if (effects_.children().empty()) return post("children-none");
    warn_shutdown();
}

void Lifecycle::children_changed() {
    if (fsm_.state() != BrokerState::shutdown || !effects_.children().empty()) return;
    post("children-complete");
}

void Lifecycle::warn_shutdown() {
    const auto period = context_.attributes.seconds("broker.shutdown-warn");
    if (!period || *period <= 0) return;
    after(*period, [this] {
        const Idset left = effects_.children();
        context_.log.err("broker", "shutdown delayed: waiting for {} peers: {}", left.size(),
                         hosts_text(left));
        warn_shutdown();
    });
}

void Lifecycle::enter_finalize() {
    auto commands = stage_commands(context_.attributes, "broker.rc3_path", "rc3.d");
    commands_.run("rc3", std::move(commands), environment(), true, [this](int result) {
        const int code = stage_code(context_.attributes, "broker.rc3_path", result);
        std::vector<StageStep> steps(context_.rc3_steps.rbegin(), context_.rc3_steps.rend());
        run_steps(std::move(steps), 0,
                  [this, code](int more) { dump_content(code ? code : more); });
    });
}

void Lifecycle::dump_content(int code) {
    if (!lead()) return stage_done("rc3", code);
    const auto plan = plan_dump(context_.attributes);
    if (!plan) context_.log.err("broker", "{}", plan.error().text());
    if (!plan || !*plan) return stage_done("rc3", plan ? code : 1);
    context_.log.info("broker", "dumping content to {}", (*plan)->file);
    commands_.run("rc3", {(*plan)->command}, environment(), true, [this, code, plan](int more) {
        const Result<void> linked = more == 0 ? finish_dump(**plan) : Result<void>{};
        if (!linked) context_.log.err("broker", "{}", linked.error().text());
        stage_done("rc3", code ? code : linked ? more : 1);
    });
}

void Lifecycle::enter_goodbye() {
    if (lead()) return post("goodbye");
    effects_.goodbye([this] { post("goodbye"); });
}

/// Without broker.join-timeout a follower waits for its parent until it is told to end.
void Lifecycle::enter_join() {
    if (const auto patience = context_.attributes.seconds("broker.join-timeout"))
        after(*patience, [this] { never_joined(); });
    effects_.join();
}

void Lifecycle::never_joined() {
    if (fsm_.state() != BrokerState::join) return;
    say_last(fmt::format(
        "gave up after {} (broker.join-timeout): parent {} has not answered: {}",
        context_.attributes.get_or("broker.join-timeout", ""),
        context_.attributes.get_or("tbon.parent-endpoint", ""),
        context_.overlay ? context_.overlay->parent_trouble() : ""));
    fsm_.fail(exit_never_joined);
    post("parent-fail");
}

void Lifecycle::parent_state(BrokerState state) {
    parent_ = state;
    if (fsm_.state() == BrokerState::join && state >= BrokerState::quorum) post("parent-ready");
    if (fsm_.state() == BrokerState::quorum) check_quorum();
    if (state >= BrokerState::shutdown) shutdown();
}

void Lifecycle::parent_lost(const Error& why) {
    if (fsm_.state() >= BrokerState::goodbye) return;
    if (fsm_.state() == BrokerState::join) {
        say_last(why.text());
        fsm_.fail(1);
        return post("parent-fail");
    }
    panic(why.text());
}

void Lifecycle::online_changed(const Idset& online) {
    online_ = online;
    check_quorum();
}

/// Signals of users are for their jobs: the warning before the end of a batch job, say.
void Lifecycle::pass_on(int signum) {
    context_.log.info("broker", "signal {}: passed on to the running jobs", signum);
    client_.notify("job-manager.killall", {{"dry_run", false},
                                           {"userid", std::int64_t{userid_unknown.value}},
                                           {"signum", signum}});
}

void Lifecycle::on_signal(int signum) {
    const bool serving = fsm_.state() == BrokerState::run;
    if ((signum == SIGUSR1 || signum == SIGUSR2) && serving) {
        if (lead()) pass_on(signum);
        return;
    }
    context_.log.info("broker", "signal {}", signum);
    // Told to end before there was anything to serve: whoever waits for the program must know. A
    // follower has done its part once it has joined.
    if (fsm_.state() < (lead() ? BrokerState::run : BrokerState::init)) fsm_.fail(1);
    if (!lead() && fsm_.state() == BrokerState::join && context_.overlay)
        say_last(fmt::format("signal {} before parent {} had answered: {}", signum,
                             context_.attributes.get_or("tbon.parent-endpoint", ""),
                             context_.overlay->parent_trouble()));
    shutdown();
}

void Lifecycle::shutdown() {
    if (shutting_down_) return;
    shutting_down_ = true;
    // A stage with a command of ours ends through its result, not beside it.
    const bool stage = fsm_.state() == BrokerState::init || fsm_.state() == BrokerState::run;
    if (stage && commands_.running()) return commands_.abort(SIGHUP);
    if (fsm_.state() < BrokerState::cleanup) post("shutdown");
}

void Lifecycle::say_last(std::string text) {
    context_.log.err("broker", "{}", text);
    last_words_ = std::move(text);
}

void Lifecycle::panic(std::string_view text) {
    say_last(std::string{text});
    fsm_.fail(1);
    commands_.abort(SIGHUP);
    post("panic");
}

void Lifecycle::push_cleanup(const std::vector<std::string>& commands) {
    cleanup_commands_.insert(cleanup_commands_.begin(), commands.begin(), commands.end());
}

void Lifecycle::after(double seconds, std::function<void()> work) {
    timer_.expires_after(std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(seconds)));
    timer_.async_wait([work = std::move(work)](boost::system::error_code error) {
        if (!error) work();
    });
}

std::string Lifecycle::hosts_text(const Idset& ranks) const {
    Hostlist hosts;
    for (const Idset::Id rank : ranks.to_vector())
        if (rank < context_.hosts.size()) hosts.append(context_.hosts[rank]);
    return fmt::format("{} (rank {})", hosts.to_string(), ranks.to_string());
}

}  // namespace sluice
