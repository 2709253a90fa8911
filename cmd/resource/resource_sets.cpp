#include "cmd/resource/resource_sets.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/words.hpp"
#include "cmd/format/output_format.hpp"
#include "cmd/format/queue_fields.hpp"

namespace sluice {
namespace {

Result<ResourceSet> read_set(const JsonObject& reply, std::string_view key) {
    const Json* value = reply.if_contains(key);
    if (value && value->is_null()) return ResourceSet{};
    JsonReader in{reply};
    const JsonObject& object = in.object(key);
    if (!in) return in.error();
    return ResourceSet::from_json(object);
}

Result<void> read_sets(const JsonObject& reply, ResourceSets& sets) {
    SLUICE_TRY(sets.all, read_set(reply, "all"));
    SLUICE_TRY(sets.down, read_set(reply, "down"));
    SLUICE_TRY(sets.allocated, read_set(reply, "allocated"));
    return {};
}

bool has_all(const std::vector<std::string>& properties, const std::vector<std::string>& wanted) {
    return std::ranges::all_of(wanted, [&](const std::string& property) {
        return std::ranges::find(properties, property) != properties.end();
    });
}

/// Ranks by number or by host name; names that do not exist select nothing.
Result<Idset> included_ranks(const std::string& text, const ResourceSet& all) {
    if (const auto ranks = Idset::parse(text)) return *ranks;
    const auto hosts = Hostlist::parse(text);
    if (!hosts) return fail(EINVAL, "--include: {}", hosts.error().text());
    Idset ranks;
    for (const ResourceSet::Node& node : all.nodes())
        if (hosts->contains(node.host)) ranks.insert(node.rank);
    return ranks;
}

}  // namespace

Result<ResourceSet> ResourceSets::in_state(std::string_view state) const {
    if (state == "all") return all;
    if (state == "down") return down;
    if (state == "allocated") return allocated;
    if (state == "up") return all - down;
    if (state == "free") return all - down - allocated;
    return fail(EINVAL, "Invalid resource state {} specified", state);
}

ResourceSets ResourceSets::only_ranks(const Idset& ranks) const {
    return {all.only_ranks(ranks), down.only_ranks(ranks), allocated.only_ranks(ranks), config};
}

Result<ResourceSets> load_resource_sets(Handle& flux) {
    ResourceSets sets;
    SLUICE_TRY(sets.config, flux.call("config.get"));
    constexpr const char* usual = "resource.sched-status";
    const char* topic = std::getenv("FLUX_RESOURCE_LIST_RPC");
    auto reply = flux.call(topic ? topic : usual, {}, {.nodeid = 0});
    if (!reply && topic) reply = flux.call(usual, {}, {.nodeid = 0});
    if (!reply) return reply.error();
    SLUICE_CHECK(read_sets(*reply, sets));
    return sets;
}

Result<ResourceSets> parse_resource_sets(const std::string& text) {
    SLUICE_TRY(const JsonObject reply, parse_json_object(text));
    ResourceSets sets;
    SLUICE_CHECK(read_sets(reply, sets));
    return sets;
}

void RankFilter::declare(Cli& cli) {
    cli.option("-q,--queue=QUEUE,...", queues, "only resources of these queues");
    cli.option("-i,--include=TARGETS", include, "only these ranks or hosts");
}

Result<Idset> RankFilter::ranks(const ResourceSet& all, const JsonObject& config) const {
    Idset ranks = all.ranks();
    if (!include.empty()) {
        SLUICE_TRY(const Idset included, included_ranks(include, all));
        ranks = ranks & included;
    }
    if (queues.empty()) return ranks;
    const std::vector<std::string> known = configured_queues(config);
    Idset of_queues;
    for (const std::string& list : queues) {
        for (const std::string& queue : split_words(list)) {
            if (std::ranges::find(known, queue) == known.end())
                return fail(EINVAL, "--queue: {}: no such queue", queue);
            const std::vector<std::string> wanted = queue_requires(config, queue);
            for (const std::uint32_t rank : ranks)
                if (has_all(properties_of(all, rank), wanted)) of_queues.insert(rank);
        }
    }
    return of_queues;
}

std::string queues_of(const std::vector<std::string>& properties, const JsonObject& config) {
    std::vector<std::string> names;
    for (const std::string& queue : configured_queues(config))
        if (has_all(properties, queue_requires(config, queue))) names.push_back(queue);
    return join(names, ",");
}

std::vector<std::string> properties_of(const ResourceSet& R, std::uint32_t rank) {
    std::vector<std::string> properties;
    for (const auto& [property, ranks] : R.properties)
        if (ranks.contains(rank)) properties.push_back(property);
    return properties;
}

std::string join(const std::vector<std::string>& words, std::string_view separator) {
    std::string text;
    for (const std::string& word : words) {
        if (!text.empty()) text += separator;
        text += word;
    }
    return text;
}

}  // namespace sluice
