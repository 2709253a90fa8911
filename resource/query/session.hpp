// A session of `flux resource-query`: commands as lines, jobs by number from 1, virtual time 0.
// Pure: files and clock are given, what is to be printed is returned.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "resource/search/scheduler.hpp"
#include "resource/writer/placement_writer.hpp"

namespace sluice {

class QuerySession {
  public:
    struct Effects {
        std::function<Result<std::string>(const std::string& path)> read_file;
        /// A jobspec in YAML or JSON; scalars may be text.
        std::function<Result<JsonObject>(std::string_view text)> parse_jobspec;
        std::function<double()> seconds;
    };
    struct Options {
        PlacementFormat format = PlacementFormat::simple;
        bool elapsed = false;  // print times and visits
    };
    /// `results` go where --test-output says, the others to stdout and stderr.
    struct Reply {
        std::string results, out, err;
        bool quit = false;
    };
    using Words = std::vector<std::string>;

    QuerySession(std::unique_ptr<GraphScheduler> scheduler, Options options, Effects effects);
    Reply execute(std::string_view line);
    const GraphScheduler& scheduler() const { return *scheduler_; }

  private:
    enum class State : std::uint8_t { allocated, reserved, canceled };
    struct Job {
        State state = State::allocated;
        std::int64_t at = 0;
        std::string jobspec;
        double overhead = 0;
    };
    struct Command {
        std::string_view name, abbreviation;
        std::size_t words_min, words_max;  // with the command's own
        void (QuerySession::*run)(const Words&, Reply&);
        std::string_view summary;
    };
    static std::span<const Command> commands();

    void match(const Words& words, Reply& reply);
    void multi_match(const Words& words, Reply& reply);
    bool match_one(MatchOp op, const std::string& path, Reply& reply);
    void update(const Words& words, Reply& reply);
    void attach(const Words& words, Reply& reply);
    void remove(const Words& words, Reply& reply);
    void find(const Words& words, Reply& reply);
    void cancel(const Words& words, Reply& reply);
    void partial_cancel(const Words& words, Reply& reply);
    void set_property(const Words& words, Reply& reply);
    void get_property(const Words& words, Reply& reply);
    void set_status(const Words& words, Reply& reply);
    void get_status(const Words& words, Reply& reply);
    void list(const Words& words, Reply& reply);
    void info(const Words& words, Reply& reply);
    void stat(const Words& words, Reply& reply);
    void cat(const Words& words, Reply& reply);
    void help(const Words& words, Reply& reply);
    void quit(const Words& words, Reply& reply);

    Result<std::string> read(const std::string& path);
    void say_satisfiable(bool satisfiable, double elapsed, Reply& reply) const;
    void say_scheduled(JobKey job, std::string_view mode, std::int64_t at, double elapsed,
                       Reply& reply) const;
    void say_unmatched(JobKey job, bool possible, double elapsed, Reply& reply) const;
    void say_visits(double elapsed, std::string& to) const;
    void count_time(double elapsed);
    bool active(JobKey job) const;
    std::string describe(JobKey number, const Job& job) const;

    std::unique_ptr<GraphScheduler> scheduler_;
    Options options_;
    Effects effects_;
    JobKey next_job_ = 1;
    std::map<JobKey, Job> jobs_;
    double least_ = 1e300, most_ = 0, all_ = 0;
};

}  // namespace sluice
