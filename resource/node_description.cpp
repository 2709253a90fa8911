#include "resource/node_description.hpp"

namespace sluice {
namespace {

Result<Idset> read_idset(JsonReader& in, std::string_view key) {
    const std::string text = in.string_or(key, "");
    auto ids = Idset::parse(text);
    if (!ids) return ids.error().in(key);
    return ids;
}

Result<Locality> read_locality(const JsonArray& array) {
    Locality locality;
    for (const Json& value : array) {
        if (!value.is_object()) return fail(EPROTO, "locality: not an array of objects");
        JsonReader in{value.get_object()};
        LocalityDomain domain;
        const std::string kind = in.string("kind");
        if (!in) return in.error().in("locality");
        if (kind != "socket" && kind != "numa")
            return fail(EPROTO, "locality: unknown kind '{}'; send socket or numa", kind);
        domain.kind = kind == "socket" ? LocalityDomain::Kind::socket : LocalityDomain::Kind::numa;
        SLUICE_TRY(domain.cores, read_idset(in, "cores"));
        SLUICE_TRY(domain.gpus, read_idset(in, "gpus"));
        locality.push_back(std::move(domain));
    }
    return locality;
}

}  // namespace

JsonObject NodeDescription::to_json() const {
    JsonArray domains;
    for (const LocalityDomain& domain : locality) {
        JsonObject object;
        object["kind"] = domain.kind == LocalityDomain::Kind::socket ? "socket" : "numa";
        object["cores"] = domain.cores.to_string();
        object["gpus"] = domain.gpus.to_string();
        domains.emplace_back(std::move(object));
    }
    JsonObject json;
    json["hostname"] = hostname;
    json["cores"] = cores.to_string();
    json["gpus"] = gpus.to_string();
    json["locality"] = std::move(domains);
    return json;
}

Result<NodeDescription> NodeDescription::from_json(const JsonObject& object) {
    JsonReader in{object};
    NodeDescription node;
    node.hostname = in.string("hostname");
    const JsonArray* domains = in.maybe_array("locality");
    if (!in) return in.error();
    SLUICE_TRY(node.cores, read_idset(in, "cores"));
    SLUICE_TRY(node.gpus, read_idset(in, "gpus"));
    if (domains) {
        SLUICE_TRY(node.locality, read_locality(*domains));
    }
    return node;
}

}  // namespace sluice
