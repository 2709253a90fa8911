// The shell options of a job (jobspec attributes.system.shell.options; cli.md 6), decoded once.
// Unknown options are ignored, as by stock shells.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/rfc/idset.hpp"

namespace sluice::shell {

struct StreamOptions {
    enum class Type { kvs, file };
    Type type = Type::kvs;
    std::string path;  // of type file, with its mustache tags
    bool label = false;
    bool line_buffered = true;
    friend bool operator==(const StreamOptions&, const StreamOptions&) = default;
};

struct PtyOptions {
    bool all = false;  // else `ranks`
    Idset ranks;
    bool capture = true;  // output of interactive ranks goes to the output eventlog too
    bool interactive = false;
    bool wanted(std::uint32_t rank) const { return all || ranks.contains(rank); }
    friend bool operator==(const PtyOptions&, const PtyOptions&) = default;
};

struct ShellOptions {
    int verbose = 0;
    bool verbose_clamped = false;  // more was asked for
    bool setpgrp = true;
    std::string taskmap_scheme = "block", taskmap_value;
    std::optional<double> exit_timeout = 30.0;  // seconds after the first exit; nullopt: wait
    bool exit_on_error = false;
    struct Signal {
        int signum;
        double timeleft;
        friend bool operator==(const Signal&, const Signal&) = default;
    };
    std::optional<Signal> signal;
    std::string cpu_affinity = "on", gpu_affinity = "on";
    std::optional<PtyOptions> pty;
    StreamOptions out, err;
    bool append = false;  // output.mode
    std::uint64_t output_limit = std::uint64_t{1} << 30;
    std::string output_limit_text = "1G";  // as the user wrote it
    double batch_timeout = 0.5;
    std::optional<std::string> stdin_path;     // input.stdin of type file
    std::optional<std::uint64_t> input_limit;  // bytes of stdin; nullopt: no limit
    std::string input_limit_text;
    std::map<std::string, std::string> env_expand;
    std::map<std::string, std::int64_t> rlimits;  // lower-case names; -1 unlimited
    bool mpi_none = false, mpi_spectrum = false;
    bool pmi = true, pmi_map = true;  // the simple wire protocol, and its mapping keys
    bool pmix = false;
    std::uint32_t exchange_fanout = 2;
    std::optional<std::string> hwloc_xmlfile;  // path; empty: in the job's folder
    bool hwloc_restrict = false;
    struct StageIn {  // RFC 37 archives to extract before the tasks start
        std::vector<std::string> names{"main"};
        std::optional<std::string> pattern;      // as of fnmatch(3)
        std::optional<std::string> destination;  // nullopt: the job's folder
        bool once = false;                       // on one node: the destination is shared by all
        bool old_spelling = false;               // "tags" instead of "names"
        friend bool operator==(const StageIn&, const StageIn&) = default;
    };
    std::optional<StageIn> stage_in;
    std::optional<int> oom_adjust;  // -1000 to 1000
    bool stop_tasks_in_exec = false;
    double rexec_shutdown_timeout = 60;  // seconds for what flux exec --jobid left behind
    bool sysmon = false;
    std::optional<double> sysmon_period;
    bool coprocess = false;  // asked for

    /// `options` may be nullptr (none given). Errors: EINVAL naming the option, what was found.
    static Result<ShellOptions> from_json(const JsonObject* options) {
        return from_json(options, {});
    }
    static Result<ShellOptions> from_json(const JsonObject* options, ShellOptions defaults);
    /// Guests of an instance may have less output kept.
    static ShellOptions for_guests();
};

}  // namespace sluice::shell
