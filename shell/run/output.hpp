// Where task output goes: the output eventlog, or files (one for the job, written by the leader; or
// one a node or task, written by the shell of that task). Limits and labels are applied here.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/aio/spawn.hpp"
#include "base/rpc/handle.hpp"
#include "shell/launch_info.hpp"
#include "shell/mustache.hpp"
#include "shell/options.hpp"
#include "shell/output_records.hpp"
#include "shell/run/eventlog_writer.hpp"
#include "shell/task_plan.hpp"

namespace sluice::shell {

enum class Stream { out = 0, err = 1 };
std::string_view stream_name(Stream stream);

class Output {
  public:
    struct Parts {
        const LaunchInfo& info;
        const ShellOptions& options;
        const TaskPlan& plan;
        Handle& handle;
        EventlogWriter& log;
    };
    explicit Output(Parts parts) : parts_(parts) {}

    /// Leader: the header of the output eventlog. All: opens the files this shell writes and
    /// records the redirections. Errors: errno of open, naming the path.
    Result<void> begin(const MustacheValues& values);

    /// Output of a local task; empty `data` does nothing.
    void write(Stream stream, std::uint32_t rank, std::string_view data);
    void end(Stream stream, std::uint32_t rank);
    /// Leader: a "write" request of a follower {stream, rank, data, …}.
    void on_remote_write(const JsonObject& payload);
    /// The leader has more to write for us than it should: stop reading the tasks' output.
    bool congested() const { return unwritten_bytes_ > unwritten_bytes_max; }
    void on_relief(std::function<void()> relief) { on_relief_ = std::move(relief); }
    /// All that is over a limit is known to be lost or passed on.
    bool settled() const { return sinks_[0].unanswered == 0 && sinks_[1].unanswered == 0; }
    void on_settled(std::function<void()> settled) { on_settled_ = std::move(settled); }
    /// No more output comes: tells how much was left out. What is not settled was passed on.
    void finish();
    /// A message of the shell itself, shown by attach. Where the tasks' errors go to a file it is
    /// there too, and what only the curious want is there alone.
    void log(const LogText& text);

  private:
    struct File {
        OwnedFd fd;
        bool failed = false;
    };
    struct Sink {  // of one stream kind
        const StreamOptions* options = nullptr;
        enum class Place { eventlog, local_files, leader_file } place = Place::eventlog;
        std::map<std::uint32_t, std::shared_ptr<File>> files;  // by task rank
        // Bytes: kept, lost, and passed on to who follows the output though not kept.
        std::uint64_t recorded = 0, dropped = 0, passed_on = 0;
        std::uint64_t unanswered = 0;                         // passed on or lost, not known yet
        bool full = false;                                   // recorded is as much as may be
        std::chrono::steady_clock::time_point try_again{};  // nobody follows: lost until then
    };
    Result<void> open_sink(Stream stream, MustacheValues values);
    Result<std::shared_ptr<File>> open_file(const std::string& path);
    void redirected(Stream stream, const Idset& ranks, const std::string& path);
    void record(Stream stream, std::uint32_t rank, std::string_view data);
    void keep(Stream stream, std::uint32_t rank, std::string_view data);
    void pass_on(Stream stream, std::uint32_t rank, std::string_view data);
    std::string records(Stream stream, std::uint32_t rank, std::string_view data);
    void on_passed_on(Stream stream, std::uint64_t bytes, bool watched);
    void lose(Stream stream, std::uint64_t bytes);
    void write_file(Sink& sink, std::uint32_t rank, std::string_view data);
    bool log_to_file(const LogText& text);
    void send_to_leader(Stream stream, std::uint32_t rank, std::string_view data);
    Sink& sink(Stream stream) { return sinks_[static_cast<int>(stream)]; }

    Parts parts_;
    Sink sinks_[2];
    std::map<std::string, std::shared_ptr<File>> open_files_;  // by path
    static constexpr std::size_t unwritten_bytes_max = std::size_t{2} << 20;
    std::size_t unwritten_bytes_ = 0;  // sent to the leader
    std::function<void()> on_settled_ = [] {}, on_relief_ = [] {};
    bool ended_ = false;
    std::map<std::uint32_t, bool> mid_line_[2];                // labelled files, by task
};

}  // namespace sluice::shell
