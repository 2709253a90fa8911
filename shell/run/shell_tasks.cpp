// The tasks of a shell: what each is started with and where its output goes.
#include "shell/run/shell_parts.hpp"

namespace sluice::shell {

Result<TaskSpawn> Shell::task_spawn(std::uint32_t localid, int pmi_fd) {
    MustacheValues values = mustache_values();
    values.task = {plan_.ranks[localid], localid};
    TaskSpawn spawn;
    for (const std::string& word : info_.jobspec.command)
        spawn.argv.push_back(render(word, values));
    spawn.environment = task_environment(
        environment_, options_, values,
        {plan_.ranks[localid], localid, pmi_fd, gpus_.empty() ? "" : gpus_[localid]}, plan_.ntasks);
    spawn.keep = pmi_fd;
    spawn.new_group = options_.setpgrp;
    if (!cpus_.empty()) spawn.cpus = cpus_[localid];
    spawn.rlimits = rlimits_;
    spawn.oom_adjust = options_.oom_adjust;
    spawn.stop_in_exec = options_.stop_tasks_in_exec;
    if (pmix_) SLUICE_CHECK(add_pmix_environment(spawn, plan_.ranks[localid]));
    return spawn;
}

Result<void> Shell::start_task(std::uint32_t localid) {
    const std::uint32_t rank = plan_.ranks[localid];
    const bool terminal = options_.pty && options_.pty->wanted(rank);
    const bool interactive = terminal && terminus_ && rank == 0;
    const bool captured = !interactive || options_.pty->capture;
    SLUICE_TRY(const OwnedFd stdin_file, input_->open_file());
    OwnedFd pmi_fd;
    if (pmi_) {
        SLUICE_TRY(pmi_fd, pmi_->connect(localid));
    }
    Task::Callbacks callbacks;
    callbacks.on_output = [this, rank, interactive, captured](Stream stream,
                                                              std::string_view data) {
        if (interactive) terminus_->on_output(data);
        if (captured) output_->write(stream, rank, data);
    };
    callbacks.on_end = [this, rank](Stream stream) { output_->end(stream, rank); };
    callbacks.on_exit = [this](const TaskExit& exit) {
        hint_at_pmi(exit);
        perform(fsm_->on_exit(exit));
    };
    callbacks.on_input_taken = [this, interactive] {
        input_->on_room();
        if (interactive) terminus_->on_room();
    };
    callbacks.on_done = [this, localid] { perform(fsm_->on_done(localid)); };
    if (interactive) end_with_terminal(callbacks);
    callbacks.may_read = [this, interactive] {
        return !log_->congested() && !output_->congested() &&
               !(interactive && terminus_->congested());
    };
    Task::Options options;
    options.rank = rank;
    options.localid = localid;
    options.terminal = terminal;
    options.out_by_lines = !terminal && (options_.out.line_buffered || options_.out.label);
    options.err_by_lines = options_.err.line_buffered || options_.err.label;
    options.stdin_file = stdin_file.get();
    auto task = std::make_unique<Task>(handle_.io(), options, std::move(callbacks));
    SLUICE_TRY(TaskSpawn spawn, task_spawn(localid, pmi_fd.get()));
    SLUICE_CHECK(task->start(std::move(spawn)));
    if (interactive) terminus_->set_task(task.get());
    tasks_.push_back(std::move(task));
    return {};
}

/// A task at a terminal has ended when its terminal has.
void Shell::end_with_terminal(Task::Callbacks& callbacks) {
    struct Progress {
        bool ended = false, done = false;
    };
    const auto progress = std::make_shared<Progress>();
    callbacks.on_exit = [this, progress, told = callbacks.on_exit,
                         done = callbacks.on_done](const TaskExit& exit) {
        terminus_->end(exit.wait_status, [progress, told, done, exit] {
            progress->ended = true;
            told(exit);
            if (progress->done) done();
        });
    };
    callbacks.on_done = [progress, done = callbacks.on_done] {
        progress->done = true;
        if (progress->ended) done();
    };
}

}  // namespace sluice::shell
