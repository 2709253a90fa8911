#include "cmd/R_parse_config.hpp"

#include "base/config_path.hpp"
#include "resource/resource_config.hpp"

namespace sluice {
namespace {

Result<ResourceSet> from_path(const JsonObject& resource) {
    JsonReader in{resource};
    const std::string path = in.string("path");
    if (!in) return in.error().in("resource");
    SLUICE_TRY(const std::string text, read_text_file(path));
    auto set = ResourceSet::parse(text);
    if (!set) return set.error().in(path);
    return set;
}

}  // namespace

Result<ResourceSet> configured_resources(const std::string& path) {
    SLUICE_TRY(const JsonObject config, load_config_path(path));
    JsonReader in{config};
    const JsonObject* resource = in.maybe_object("resource");
    if (!in) return in.error();
    if (resource && resource->contains("config")) {
        JsonReader table{*resource};
        const JsonArray& entries = table.array("config");
        if (!table) return table.error().in("resource");
        return resource_set_of_entries(entries);
    }
    if (resource && resource->contains("path")) return from_path(*resource);
    return fail(EINVAL, "resource.config or resource.path must be defined");
}

}  // namespace sluice
