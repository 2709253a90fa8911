#include "cmd/options/jobspec_builder.hpp"

#include <charconv>
#include <cmath>

#include "base/rfc/fsd.hpp"
#include "base/rfc/idset.hpp"
#include "base/words.hpp"
#include "cmd/format/datetime.hpp"
#include "cmd/options/added_brokers.hpp"
#include "cmd/options/conf.hpp"
#include "cmd/options/dependency.hpp"
#include "cmd/options/files.hpp"
#include "cmd/options/geometry.hpp"
#include "cmd/options/key_value.hpp"
#include "cmd/options/requires.hpp"
#include "cmd/options/resource_shape.hpp"
#include "cmd/options/shell_io.hpp"

namespace sluice {
namespace {

constexpr unsigned script_permissions = 0700;
constexpr double seconds_per_minute = 60;

Result<double> parse_time_limit(const std::string& text) {
    double number = 0;
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, number);
    const bool plain = !text.empty() && parsed.ec == std::errc{} && parsed.ptr == end;
    if (plain && number < 0) return fail(EINVAL, "duration must not be negative");
    double seconds = number * seconds_per_minute;
    if (!plain) {
        const Result<double> duration = fsd_parse(text);
        if (!duration) return fail(EINVAL, "invalid Flux standard duration");
        seconds = *duration;
    }
    if (!std::isfinite(seconds)) return fail(EINVAL, "duration must be a normal, finite value");
    return seconds;
}

class JobspecBuilder {
  public:
    JobspecBuilder(const SubmitOptions& options, SubmitVerb verb, const JobRequest& request,
                   const SubmitContext& context)
        : options_(options), verb_(verb), request_(request), context_(context) {}

    Result<JsonObject> build() {
        if (request_.command.empty() && !makes_instance(verb_))
            return fail(EINVAL, "job command and arguments are missing");
        SLUICE_CHECK(add_geometry());
        SLUICE_CHECK(add_basics());
        SLUICE_CHECK(add_shell_options());
        SLUICE_CHECK(add_scheduling());
        SLUICE_CHECK(add_attributes());
        SLUICE_CHECK(add_files());
        JsonObject jobspec;
        jobspec["resources"] = geometry_.resources;
        jobspec["tasks"] = tasks();
        jobspec["attributes"] = std::move(attributes_);
        jobspec["version"] = 1;
        return jobspec;
    }

  private:
    JsonObject& system() { return attributes_["system"].as_object(); }
    void set_system(std::string_view path, Json value) {
        set_path(system(), path, std::move(value));
    }
    void set_shell(std::string_view path, Json value) {
        set_path(system(), fmt::format("shell.options.{}", path), std::move(value));
    }

    Result<void> add_geometry() {
        attributes_["system"].emplace_object();
        system()["duration"] = 0;
        SLUICE_TRY(auto shape, shape_option(options_, context_.load));
        SubmitOptions options = options_;
        if (shape) options.texts.push_back({"nodes", "1"});
        if (makes_instance(verb_)) {
            SLUICE_TRY(geometry_, slot_geometry(options));
        } else {
            SLUICE_TRY(geometry_, task_geometry(options));
        }
        if (shape) geometry_.resources = *std::move(shape);
        if (geometry_.per_resource) set_shell("per-resource", Json(*geometry_.per_resource));
        SLUICE_TRY(added_brokers_, add_brokers_option(options_));
        if (added_brokers_) geometry_.task_count = {{"total", added_brokers_->total()}};
        return {};
    }

    Result<void> add_basics() {
        if (const auto limit = options_.last("time-limit")) {
            SLUICE_TRY(const double seconds, parse_time_limit(*limit));
            system()["duration"] = seconds;
        }
        std::vector<std::string> rules;
        for (const OptionText& text : options_.texts) {
            if (text.name == "env") rules.push_back(text.text);
            if (text.name == "env-remove") rules.push_back("-" + text.text);
            if (text.name == "env-file") rules.push_back("^" + text.text);
        }
        Result<JobEnvironment> environment =
            build_environment(context_.environment, rules, context_.load);
        if (!environment) return environment.error().in("--env");
        system()["environment"] = std::move(environment->variables);
        env_expand_ = std::move(environment->expand);
        system()["cwd"] = options_.last_or("cwd", context_.cwd);
        if (const auto name = job_name()) set_system("job.name", Json(*name));
        return {};
    }

    std::optional<std::string> job_name() const {
        if (const auto name = options_.last("job-name")) return name;
        if (verb_ != SubmitVerb::batch) return std::nullopt;
        return request_.command.empty() ? "batch" : request_.command.front();
    }

    Result<void> add_shell_options() {
        JsonObject io = shell_io_options(options_, verb_);
        for (auto& [name, value] : io) set_shell(name, std::move(value));
        if (!env_expand_.empty()) set_shell("env-expand", Json(env_expand_));
        if (makes_instance(verb_)) add_instance_options();
        SLUICE_TRY(JsonObject limits, build_rlimits(context_.limits, options_.all("rlimit")));
        if (!limits.empty()) set_shell("rlimit", Json(std::move(limits)));
        if (const auto signal = options_.last("signal")) {
            Result<JsonObject> option = signal_option(*signal);
            if (!option) return option.error().in("--signal=" + *signal);
            set_shell("signal", Json(*std::move(option)));
        }
        if (const auto taskmap = options_.last("taskmap")) {
            const std::size_t colon = std::min(taskmap->find(':'), taskmap->size());
            JsonObject option;
            option["scheme"] = taskmap->substr(0, colon);
            option["value"] = taskmap->substr(std::min(colon + 1, taskmap->size()));
            set_shell("taskmap", Json(std::move(option)));
        }
        for (const std::string& text : options_.all("setopt")) {
            Result<KeyValue> option = parse_key_value(text, context_.load);
            if (!option) return option.error().in("--setopt");
            set_shell(option->key, std::move(option->value));
        }
        return {};
    }

    void add_instance_options() {
        if (added_brokers_)
            set_shell("taskmap", {{"scheme", "manual"}, {"value", added_brokers_->taskmap()}});
        else
            set_shell("per-resource.type", Json("node"));
        set_shell("mpi", Json("none"));
        set_shell("exit-timeout", Json("none"));
        if (options_.background)
            set_shell("pty.capture", Json(1));
        else if (verb_ == SubmitVerb::alloc && context_.stdin_is_terminal)
            set_shell("pty.interactive", Json(1));
    }

    Result<void> add_scheduling() {
        if (const auto queue = options_.last("queue")) system()["queue"] = *queue;
        if (const auto bank = options_.last("bank")) system()["bank"] = *bank;
        JsonArray dependencies;
        for (const OptionText& text : options_.texts) {
            if (text.name != "dependency" && text.name != "begin-time") continue;
            std::string uri = text.text;
            if (text.name == "begin-time") {
                const Result<double> when = parse_datetime(text.text, context_.now);
                if (!when && (text.text.starts_with('+') || text.text.starts_with('-')))
                    return fail(EINVAL, "invalid Flux standard duration");
                if (!when) return when.error();
                uri = "begin-time:" + dump_real(*when);
            }
            SLUICE_TRY(JsonObject dependency, parse_dependency(uri));
            dependencies.push_back(std::move(dependency));
        }
        if (!dependencies.empty()) system()["dependencies"] = std::move(dependencies);
        const std::vector<std::string> expressions = options_.all("requires");
        if (expressions.empty()) return {};
        Result<JsonObject> constraint = parse_requires(expressions);
        if (!constraint)
            return constraint.error().in(fmt::format("--requires='{}'", expressions.back()));
        system()["constraints"] = *std::move(constraint);
        return {};
    }

    Result<void> add_attributes() {
        for (const std::string& text : options_.all("setattr")) {
            Result<KeyValue> attribute = parse_key_value(text, context_.load);
            if (!attribute) return attribute.error().in("--setattr");
            set_path(attributes_, attribute_path(attribute->key), std::move(attribute->value));
            if (!attributes_["system"].is_object())
                return fail(EINVAL, "--setattr: {} would replace all of attributes.system", text);
        }
        return {};
    }

    Result<void> add_files() {
        JsonObject files;
        if (!request_.script.empty())
            files["script"] = inline_file(script_permissions, request_.script);
        for (const std::string& argument : options_.all("add-file")) {
            SLUICE_TRY(ArchivedFile file, archive_file(argument, context_.load));
            const bool reserved = file.name == "script" || file.name == "conf.json";
            if (makes_instance(verb_) && reserved)
                return fail(EINVAL, "--add-file: name '{}' is reserved; choose another", file.name);
            files[file.name] = std::move(file.entry);
        }
        if (makes_instance(verb_)) {
            SLUICE_TRY(Json conf,
                       build_conf(options_.all("conf"), context_.environment, context_.load));
            if (added_brokers_) SLUICE_CHECK(added_brokers_->exclude_in(conf));
            has_conf_ = !conf.is_null();
            if (has_conf_) files["conf.json"] = conf_file(std::move(conf));
        }
        if (!files.empty()) system()["files"] = std::move(files);
        return {};
    }

    JsonArray tasks() {
        JsonArray command;
        if (makes_instance(verb_))
            for (const std::string& word : broker_words()) command.push_back(Json(word));
        // A batch script is known to the job by its place there; its name is the job's name.
        const std::size_t first = verb_ == SubmitVerb::batch && !request_.command.empty() ? 1 : 0;
        for (std::size_t i = first; i < request_.command.size(); ++i)
            command.push_back(Json(request_.command[i]));
        JsonObject task;
        task["command"] = std::move(command);
        task["slot"] = slot_label(geometry_.resources);
        task["count"] = std::move(geometry_.task_count);
        JsonArray tasks;
        tasks.push_back(std::move(task));
        return tasks;
    }

    std::vector<std::string> broker_words() const {
        std::vector<std::string> words = {"flux", "broker"};
        for (const std::string& list : options_.all("broker-opts"))
            for (std::string& word : split_words(list)) words.push_back(std::move(word));
        if (options_.dump)
            words.push_back("-Scontent.dump=" +
                            options_.last_or("dump", "flux-{{jobid}}-dump.tgz"));
        if (options_.background && request_.command.empty())
            words.emplace_back("-Sbroker.rc2_none=1");
        if (has_conf_) words.emplace_back("-c{{tmpdir}}/conf.json");
        if (verb_ == SubmitVerb::batch) words.emplace_back("{{tmpdir}}/script");
        return words;
    }

    const SubmitOptions& options_;
    const SubmitVerb verb_;
    const JobRequest& request_;
    const SubmitContext& context_;
    Geometry geometry_;
    JsonObject attributes_, env_expand_;
    std::optional<AddedBrokers> added_brokers_;
    bool has_conf_ = false;
};

}  // namespace

Result<JsonObject> build_jobspec(const SubmitOptions& options, SubmitVerb verb,
                                 const JobRequest& request, const SubmitContext& context) {
    return JobspecBuilder(options, verb, request, context).build();
}

Result<int> parse_urgency(const SubmitOptions& options) {
    const std::string text = options.last_or("urgency", "default");
    if (text == "hold") return 0;
    if (text == "default") return 16;
    if (text == "expedite") return 31;
    int urgency = 0;
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, urgency);
    if (parsed.ec != std::errc{} || parsed.ptr != end)
        return fail(EINVAL, "--urgency: invalid value '{}'; use 0-31, hold, default or expedite",
                    text);
    return urgency;
}

Result<int> parse_flags(const SubmitOptions& options) {
    int flags = 0;
    for (const std::string& list : options.all("flags")) {
        for (const std::string& flag : split_words(list)) {
            if (flag == "debug")
                flags |= 2;
            else if (flag == "waitable")
                flags |= 4;
            else if (flag == "novalidate")
                flags |= 8;
            else
                return fail(EINVAL, "--flags: Unknown flag {}", flag);
        }
    }
    return flags;
}

bool input_names_tasks(const SubmitOptions& options) {
    const auto input = options.last("input");
    return input && !input->empty() && (*input == "all" || Idset::parse(*input).has_value());
}

}  // namespace sluice
