#include "broker/jobs/validators.hpp"

#include <algorithm>
#include <array>

namespace sluice {
namespace {

constexpr std::string_view table_name = "ingest.validator";
constexpr std::int64_t cores_of_a_node = 16;  // where only minnodes is set

Result<void> use_plugin(const Json& plugin, Validators& validators) {
    if (!plugin.is_string())
        return fail(EINVAL, "{}.plugins: found {}, wanted names", table_name,
                    json_type_name(plugin));
    const std::string_view name = plugin.get_string();
    if (name == "feasibility") {
        validators.feasibility = true;
    } else if (name == "require-instance") {
        validators.require_instance = true;
    } else if (name != "jobspec" && name != "schema") {  // these two are always checked
        return fail(EINVAL,
                    "{}.plugins: unknown plugin '{}'; use jobspec, schema, feasibility or "
                    "require-instance",
                    table_name, name);
    }
    return {};
}

/// Words of a command that make it an instance: flux broker, flux start.
bool starts_instance(const Jobspec& jobspec) {
    if (find_path(jobspec.json, "attributes.system.batch")) return true;
    if (jobspec.command.size() < 2) return false;
    const std::string_view program = jobspec.command[0];
    return program.substr(program.rfind('/') + 1) == "flux" &&
           (jobspec.command[1] == "broker" || jobspec.command[1] == "start");
}

std::string size_text(const Validators& validators) {
    if (validators.minnodes == 0 && validators.mincores == 0)
        return "for all jobs in this instance";
    std::string text = "for jobs >=";
    if (validators.minnodes > 0) text += fmt::format(" {} nodes", validators.minnodes);
    if (validators.minnodes > 0 && validators.mincores > 0) text += " or";
    if (validators.mincores > 0) text += fmt::format(" {} cores", validators.mincores);
    return text;
}

}  // namespace

Result<Validators> Validators::from_config(const JsonObject& config) {
    Validators validators;
    const Json* table = find_path(config, table_name);
    if (!table) return validators;
    if (!table->is_object())
        return fail(EINVAL, "{}: found {}, wanted a table", table_name, json_type_name(*table));
    JsonReader in{table->get_object()};
    const bool disabled = in.boolean_or("disable", false);
    const JsonArray* plugins = in.maybe_array("plugins");
    if (!in) return Error{EINVAL, in.error().in(table_name).text()};
    if (plugins)
        for (const Json& plugin : *plugins) SLUICE_CHECK(use_plugin(plugin, validators));
    if (const JsonObject* bounds = in.maybe_object("require-instance")) {
        JsonReader reader{*bounds};
        validators.minnodes = reader.integer_or("minnodes", 0);
        validators.mincores = reader.integer_or("mincores", 0);
        if (!reader)
            return Error{EINVAL, reader.error().in("ingest.validator.require-instance").text()};
        if (validators.mincores == 0) validators.mincores = cores_of_a_node * validators.minnodes;
    }
    return disabled ? Validators{} : validators;
}

Result<void> Validators::check_instance(const Jobspec& jobspec) const {
    if (!require_instance || starts_instance(jobspec)) return {};
    const bool large = (jobspec.request.nodes && jobspec.request.nodes >= minnodes) ||
                       static_cast<std::int64_t>(jobspec.request.cores()) >= mincores;
    if (!large) return {};
    return fail(EINVAL,
                "Direct job submission disabled {}. Please use flux-batch(1) or flux-alloc(1)",
                size_text(*this));
}

}  // namespace sluice
