#include "shell/options.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "base/words.hpp"
#include "shell/option_values.hpp"

namespace sluice::shell {
namespace {

using Apply = Result<void> (*)(const Json& value, ShellOptions& to);
struct Row {
    std::string_view path;  // below shell.options
    Apply apply;
};

Result<void> set_verbose(const Json& value, ShellOptions& to) {
    const auto level = as_integer(value);
    if (!level || *level < 0) return wrong("verbose", "a level from 0 to 2", value);
    to.verbose = static_cast<int>(std::min<std::int64_t>(*level, 2));
    to.verbose_clamped = *level > 2;
    return {};
}

Result<void> set_nosetpgrp(const Json& value, ShellOptions& to) {
    to.setpgrp = !truth(value);
    return {};
}

Result<void> set_taskmap(const Json& value, ShellOptions& to) {
    if (value.is_string()) {  // -o taskmap=cyclic:2
        const std::string text{value.get_string()};
        const std::size_t colon = std::min(text.find(':'), text.size());
        to.taskmap_scheme = text.substr(0, colon);
        to.taskmap_value = colon < text.size() ? text.substr(colon + 1) : "";
        return {};
    }
    const JsonObject* object = value.if_object();
    if (!object) return wrong("taskmap", "{scheme,value}", value);
    JsonReader in{*object};
    to.taskmap_scheme = in.string("scheme");
    if (const Json* argument = object->if_contains("value")) to.taskmap_value = text_of(*argument);
    if (!in) return in.error().in("taskmap");
    return {};
}

Result<void> set_exit_timeout(const Json& value, ShellOptions& to) {
    if (value.is_string() && value.get_string() == "none") {
        to.exit_timeout.reset();
        return {};
    }
    SLUICE_TRY(const double timeout, seconds("exit-timeout", value));
    to.exit_timeout = std::isfinite(timeout) ? std::optional{timeout} : std::nullopt;
    return {};
}

Result<void> set_exit_on_error(const Json& value, ShellOptions& to) {
    to.exit_on_error = truth(value);
    return {};
}

Result<void> set_signal(const Json& value, ShellOptions& to) {
    constexpr int sigusr1 = 10;
    ShellOptions::Signal signal{sigusr1, 60.0};
    if (const JsonObject* object = value.if_object()) {
        JsonReader in{*object};
        signal.signum = static_cast<int>(in.integer_or("signum", signal.signum));
        signal.timeleft = in.number_or("timeleft", signal.timeleft);
        if (!in) return in.error().in("signal");
    } else if (value.is_string()) {
        return fail(EINVAL, "signal: found '{}', expected an object; write --signal=SIG@TIME",
                    std::string_view{value.get_string()});
    } else if (!truth(value)) {
        return {};
    }
    to.signal = signal;
    return {};
}

Result<void> set_cpu_affinity(const Json& value, ShellOptions& to) {
    to.cpu_affinity = text_of(value);
    return {};
}

Result<void> set_gpu_affinity(const Json& value, ShellOptions& to) {
    to.gpu_affinity = text_of(value);
    return {};
}

Result<void> set_pty(const Json& value, ShellOptions& to) {
    PtyOptions pty;
    if (const JsonObject* object = value.if_object()) {
        if (const Json* ranks = object->if_contains("ranks")) {
            const std::string text = text_of(*ranks);
            pty.all = text == "all";
            if (!pty.all) {
                auto set = Idset::parse(text);
                if (!set) return set.error().in("pty.ranks");
                pty.ranks = *std::move(set);
            }
        }
        if (const Json* interactive = object->if_contains("interactive"))
            pty.interactive = truth(*interactive);
        if (pty.interactive) {
            pty.ranks.insert(0);
            pty.capture = false;
        } else if (!object->contains("ranks")) {
            pty.all = true;
        }
        if (const Json* capture = object->if_contains("capture")) pty.capture = truth(*capture);
    } else if (truth(value)) {
        pty.all = true;
    } else {
        return {};
    }
    to.pty = std::move(pty);
    return {};
}

Result<void> set_env_expand(const Json& value, ShellOptions& to) {
    const JsonObject* object = value.if_object();
    if (!object) return wrong("env-expand", "an object", value);
    for (const auto& entry : *object) to.env_expand[entry.key()] = text_of(entry.value());
    return {};
}

bool is_rlimit_name(std::string_view name) {
    static constexpr std::array<std::string_view, 16> names{
        "cpu",  "fsize",   "data",  "stack",      "core",     "nofile", "as",     "rss",
        "nproc", "memlock", "locks", "sigpending", "msgqueue", "nice",   "rtprio", "rttime"};
    return std::ranges::find(names, name) != names.end();
}

Result<void> set_rlimit(const Json& value, ShellOptions& to) {
    const JsonObject* object = value.if_object();
    if (!object) return wrong("rlimit", "an object", value);
    for (const auto& entry : *object) {
        const auto limit = as_integer(entry.value());
        if (!limit)
            return wrong(fmt::format("rlimit.{}", std::string_view{entry.key()}), "an integer",
                         entry.value());
        if (!is_rlimit_name(entry.key()))
            return fail(EINVAL, "rlimit: invalid shell option rlimit.{}={}; see setrlimit(2)",
                        std::string_view{entry.key()}, *limit);
        to.rlimits[entry.key()] = *limit;
    }
    return {};
}

/// NAME[@VERSION]. Open MPI 5 speaks PMIx only.
Result<void> set_mpi(const Json& value, ShellOptions& to) {
    static constexpr std::array names{"none", "spectrum", "openmpi", "mpich", "mvapich", "intel"};
    const std::string text = text_of(value);
    const std::string name = text.substr(0, text.find('@'));
    if (std::ranges::find(names, name) == names.end())
        return fail(EINVAL,
                    "mpi: found '{}', expected none, openmpi[@5], mpich, mvapich, intel or "
                    "spectrum",
                    text);
    to.mpi_none = name == "none";
    to.mpi_spectrum = name == "spectrum";
    if (text == "openmpi@5" || text.starts_with("openmpi@5.")) to.pmix = true;
    return {};
}

/// Services of PMI, separated by commas. What is not named is not offered.
Result<void> set_pmi(const Json& value, ShellOptions& to) {
    const std::string text = text_of(value);
    to.pmi = false;
    for (const std::string& name : split_words(text)) {
        if (name == "simple" || name == "pmi1" || name == "pmi2") {
            to.pmi = true;
        } else if (name == "pmix") {
            to.pmix = true;
        } else if (name != "off") {
            return fail(EINVAL, "pmi: found '{}', expected simple, pmi1, pmi2, pmix or off", text);
        }
    }
    return {};
}

Result<void> set_pmi_simple(const Json& value, ShellOptions& to) {
    if (const Json* nomap = find_path(value, "nomap")) to.pmi_map = !truth(*nomap);
    if (const Json* fanout = find_path(value, "exchange.k")) {
        const auto k = as_integer(*fanout);
        if (!k || *k < 1 || *k > 65536)
            return wrong("pmi-simple.exchange.k", "a number above 0", *fanout);
        to.exchange_fanout = static_cast<std::uint32_t>(*k);
    }
    return {};
}

Result<void> set_hwloc(const Json& value, ShellOptions& to) {
    if (const Json* file = find_path(value, "xmlfile"); file && truth(*file))
        to.hwloc_xmlfile = file->is_string() ? std::string(file->get_string()) : std::string{};
    if (const Json* restrict = find_path(value, "restrict")) to.hwloc_restrict = truth(*restrict);
    return {};
}

Result<void> set_destination(std::string text, ShellOptions::StageIn& to) {
    const std::size_t colon = text.find(':');
    const std::string prefix = colon == text.npos ? "local" : text.substr(0, colon);
    if (prefix != "local" && prefix != "global")
        return fail(EINVAL, "stage-in.destination: '{}' must begin with local: or global:", text);
    to.once = prefix == "global";
    to.destination = colon == text.npos ? std::move(text) : text.substr(colon + 1);
    return {};
}

Result<void> set_stage_in(const Json& value, ShellOptions& to) {
    ShellOptions::StageIn stage_in;
    if (const JsonObject* object = value.if_object()) {
        for (const auto& [name, part] : *object) {
            if (name == "names" || name == "tags") {
                stage_in.old_spelling = name == "tags";
                if (auto names = split_words(text_of(part)); !names.empty())
                    stage_in.names = std::move(names);
            } else if (name == "pattern") {
                stage_in.pattern = text_of(part);
            } else if (name == "destination") {
                SLUICE_CHECK(set_destination(text_of(part), stage_in));
            } else {
                return fail(EINVAL, "stage-in.{}: unknown; use names, pattern or destination",
                            std::string_view{name});
            }
        }
    } else if (!truth(value)) {
        return {};
    }
    to.stage_in = std::move(stage_in);
    return {};
}

Result<void> set_oom(const Json& value, ShellOptions& to) {
    constexpr std::int64_t adjust_max = 1000;
    const JsonObject* object = value.if_object();
    if (!object) return wrong("oom", "oom.adjust=N", value);
    for (const auto& [name, number] : *object) {
        if (name != "adjust")
            return fail(EINVAL, "oom.{}: unknown; use oom.adjust", std::string_view{name});
        const auto adjust = as_integer(number);
        if (!adjust || std::abs(*adjust) > adjust_max)
            return wrong("oom.adjust", "a number from -1000 to 1000", number);
        to.oom_adjust = static_cast<int>(*adjust);
    }
    return {};
}

Result<void> set_stop_tasks(const Json& value, ShellOptions& to) {
    to.stop_tasks_in_exec = truth(value);
    return {};
}

Result<void> set_rexec_timeout(const Json& value, ShellOptions& to) {
    SLUICE_TRY(to.rexec_shutdown_timeout, seconds("rexec-shutdown-timeout", value));
    return {};
}

Result<void> set_sysmon(const Json& value, ShellOptions& to) {
    to.sysmon = truth(value);
    if (const Json* period = find_path(value, "period")) {
        SLUICE_TRY(to.sysmon_period, seconds("sysmon.period", *period));
        if (!(*to.sysmon_period > 0)) return wrong("sysmon.period", "a duration above 0", *period);
    }
    return {};
}

Result<void> set_coprocess(const Json&, ShellOptions& to) {
    to.coprocess = true;
    return {};
}

/// What such a file would have set up is missing from the job: better no job.
Result<void> refuse_rc_file(std::string_view option, const Json& value) {
    return fail(EINVAL,
                "{}: {}: this shell runs no Lua; give its options with -o NAME=VALUE and its "
                "variables with --env",
                option, text_of(value));
}

Result<void> set_initrc(const Json& value, ShellOptions&) {
    return refuse_rc_file("initrc", value);
}

Result<void> set_userrc(const Json& value, ShellOptions&) {
    return refuse_rc_file("userrc", value);
}

constexpr std::array rows{
    Row{"verbose", set_verbose},
    Row{"nosetpgrp", set_nosetpgrp},
    Row{"taskmap", set_taskmap},
    Row{"exit-timeout", set_exit_timeout},
    Row{"exit-on-error", set_exit_on_error},
    Row{"signal", set_signal},
    Row{"cpu-affinity", set_cpu_affinity},
    Row{"gpu-affinity", set_gpu_affinity},
    Row{"pty", set_pty},
    Row{"output", set_output},
    Row{"input", set_input},
    Row{"env-expand", set_env_expand},
    Row{"rlimit", set_rlimit},
    Row{"mpi", set_mpi},
    Row{"pmi", set_pmi},
    Row{"pmi-simple", set_pmi_simple},
    Row{"hwloc", set_hwloc},
    Row{"stage-in", set_stage_in},
    Row{"oom", set_oom},
    Row{"stop-tasks-in-exec", set_stop_tasks},
    Row{"rexec-shutdown-timeout", set_rexec_timeout},
    Row{"sysmon", set_sysmon},
    Row{"coprocess", set_coprocess},
    Row{"initrc", set_initrc},
    Row{"userrc", set_userrc},
};

}  // namespace

ShellOptions ShellOptions::for_guests() {
    ShellOptions defaults;
    defaults.output_limit = std::uint64_t{10} << 20;
    defaults.output_limit_text = "10M";
    return defaults;
}

Result<ShellOptions> ShellOptions::from_json(const JsonObject* options, ShellOptions defaults) {
    ShellOptions result = std::move(defaults);
    result.err.line_buffered = false;
    if (!options) return result;
    for (const Row& row : rows)
        if (const Json* value = options->if_contains(row.path); value && !value->is_null())
            SLUICE_CHECK(row.apply(*value, result));
    return result;
}

}  // namespace sluice::shell
