#include "resource/resource_config.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

#include "base/rfc/constraint.hpp"

namespace sluice {
namespace {

constexpr std::uint32_t fake_nodes_max = 1 << 20;

/// Names in the table that are not known, joined by ", ".
template <std::size_t N>
std::string unknown_keys(const JsonObject& table, const std::array<std::string_view, N>& known) {
    std::string unknown;
    for (const auto& member : table) {
        const std::string_view key = member.key();
        if (std::ranges::find(known, key) != known.end()) continue;
        unknown += (unknown.empty() ? "" : ", ") + std::string{key};
    }
    return unknown;
}

Result<Idset> entry_ids(JsonReader& in, std::string_view key) {
    const std::string text = in.string_or(key, "");
    auto ids = Idset::parse(text);
    if (!ids) return fail(EINVAL, "invalid idset {}='{}'", key, text);
    return ids;
}

/// The nodes so far, findable by host.
struct HostTable {
    std::vector<ResourceSet::Node> nodes;
    std::unordered_map<std::string, std::size_t> index;
    std::map<std::string, Idset> properties;

    ResourceSet::Node& node(const std::string& host) {
        const auto [found, is_new] = index.try_emplace(host, nodes.size());
        if (is_new) nodes.push_back({static_cast<std::uint32_t>(nodes.size()), host, {}, {}});
        return nodes[found->second];
    }
};

Result<void> check_property(const Json& value) {
    if (!value.is_string()) return fail(EINVAL, "properties must be an array of strings");
    return check_property_name(value.get_string());
}

Result<void> read_entry(const JsonObject& entry, HostTable& table) {
    constexpr std::array<std::string_view, 4> known{"hosts", "cores", "gpus", "properties"};
    if (!entry.contains("hosts")) return fail(EINVAL, "Object item not found: hosts");
    JsonReader in{entry};
    const std::string hosts_text = in.string("hosts");
    const JsonArray* properties = in.maybe_array("properties");
    SLUICE_TRY(const Idset cores, entry_ids(in, "cores"));
    SLUICE_TRY(const Idset gpus, entry_ids(in, "gpus"));
    if (!in) return in.error();
    const std::string unknown = unknown_keys(entry, known);
    if (!unknown.empty())
        return fail(EINVAL, "{} object item(s) left unpacked: {}",
                    std::ranges::count(unknown, ',') + 1, unknown);
    const auto hosts = Hostlist::parse(hosts_text);
    if (!hosts || hosts->empty()) return fail(EINVAL, "invalid hostlist hosts='{}'", hosts_text);
    if (properties)
        for (const Json& property : *properties) SLUICE_CHECK(check_property(property));
    for (const std::string& host : hosts->hosts()) {
        ResourceSet::Node& node = table.node(host);
        node.cores |= cores;
        node.gpus |= gpus;
        if (!properties) continue;
        for (const Json& property : *properties)
            table.properties[std::string{property.get_string()}].insert(node.rank);
    }
    return {};
}

Result<VerifyRule::Mode> verify_mode(std::string_view key, std::string_view text) {
    if (text == "strict") return VerifyRule::Mode::strict;
    if (text == "allow-extra") return VerifyRule::Mode::allow_extra;
    if (text == "allow-missing") return VerifyRule::Mode::allow_missing;
    if (text == "ignore") return VerifyRule::Mode::ignore;
    return fail(EINVAL, "verify.{}: found '{}'; use strict, allow-extra, allow-missing or ignore",
                key, text);
}

Result<VerifyRule> read_verify(const Json& value) {
    VerifyRule rule;
    constexpr auto ignore = VerifyRule::Mode::ignore;
    if (value.is_bool()) return value.get_bool() ? rule : VerifyRule{ignore, ignore, ignore};
    if (!value.is_object())
        return fail(EINVAL, "verify: found {}; use true, false or a table", json_type_name(value));
    const JsonObject& table = value.get_object();
    for (const auto& member : table) {
        const std::string_view key = member.key();
        if (!member.value().is_string())
            return fail(EINVAL, "verify.{}: found {}, want a string", key,
                        json_type_name(member.value()));
        SLUICE_TRY(const VerifyRule::Mode mode, verify_mode(key, member.value().get_string()));
        if (key == "default") {
            if (!table.contains("hostname")) rule.hostname = mode;
            if (!table.contains("core")) rule.core = mode;
            if (!table.contains("gpu")) rule.gpu = mode;
        } else if (key == "hostname") {
            rule.hostname = mode;
        } else if (key == "core") {
            rule.core = mode;
        } else if (key == "gpu") {
            rule.gpu = mode;
        } else {
            return fail(EINVAL, "verify.{}: unknown key; use default, hostname, core or gpu", key);
        }
    }
    return rule;
}

Result<void> read_resource(const JsonObject& table, ResourceConfig& out) {
    constexpr std::array<std::string_view, 12> known{
        "path", "config", "scheduling", "exclude", "norestrict", "noverify", "verify",
        "rediscover", "journal-max", "history", "no-update-watch", "topology"};
    const std::string unknown = unknown_keys(table, known);
    if (!unknown.empty())
        return fail(EINVAL, "{}: unknown key; resource has {}", unknown, fmt::join(known, ", "));
    JsonReader in{table};
    out.path = in.string_or("path", "");
    out.exclude = in.string_or("exclude", "");
    out.norestrict = in.boolean_or("norestrict", false);
    out.noverify = in.boolean_or("noverify", false);
    out.journal_max = in.integer_or("journal-max", out.journal_max);
    const JsonArray* entries = in.maybe_array("config");
    if (!in) return in.error();
    if (out.journal_max < 0)
        return fail(EINVAL, "journal-max: found {}, want 0 or more", out.journal_max);
    if (const Json* verify = table.if_contains("verify")) {
        SLUICE_TRY(out.verify, read_verify(*verify));
        out.verify_given = true;
    }
    if (entries && !entries->empty() && out.path.empty()) {
        SLUICE_TRY(out.config, resource_set_of_entries(*entries));
    }
    return {};
}

Result<FakeResources> read_fake(const JsonObject& table) {
    JsonReader in{table};
    FakeResources fake;
    const std::int64_t nodes = in.integer("nnodes");
    const std::int64_t cores = in.integer_or("cores-per-node", fake.cores_per_node);
    const std::int64_t gpus = in.integer_or("gpus-per-node", fake.gpus_per_node);
    fake.host_prefix = in.string_or("host-prefix", fake.host_prefix);
    if (!in) return in.error();
    if (nodes < 1 || nodes > fake_nodes_max || cores < 1 || cores > fake_nodes_max || gpus < 0 ||
        gpus > fake_nodes_max)
        return fail(EINVAL,
                    "nnodes: found {}, cores-per-node {}, gpus-per-node {}; want at least 1, 1, 0 "
                    "and at most {}",
                    nodes, cores, gpus, fake_nodes_max);
    fake.nnodes = static_cast<std::uint32_t>(nodes);
    fake.cores_per_node = static_cast<std::uint32_t>(cores);
    fake.gpus_per_node = static_cast<std::uint32_t>(gpus);
    return fake;
}

/// R with new ranks: `rank_of[i]` for the i-th node.
ResourceSet with_ranks(const ResourceSet& R, const std::vector<std::uint32_t>& rank_of) {
    ResourceSet out;
    for (std::size_t i = 0; i < R.node_count(); ++i) {
        ResourceSet::Node node = R.nodes()[i];
        node.rank = rank_of[i];
        for (const auto& [property, ranks] : R.properties)
            if (ranks.contains(R.nodes()[i].rank)) out.properties[property].insert(rank_of[i]);
        out.add(std::move(node));
    }
    out.starttime = R.starttime;
    out.expiration = R.expiration;
    return out;
}

/// "core1,gpu0" for what `wanted` has beyond `have`.
std::string lacking(const Idset& wanted, const Idset& have, std::string_view type) {
    const Idset missing = wanted - have;
    return missing.empty() ? "" : fmt::format("{}{}", type, missing.to_bracketed());
}

/// The error of a key, with the key's whole path: "resource.exclude: …".
Error below(std::string_view table, const Error& error) {
    const std::string prefix = std::string{table} + ".";
    return Error{EINVAL, error.text().starts_with(prefix) ? error.text() : prefix + error.text()};
}

bool forbids_missing(VerifyRule::Mode mode) {
    return mode == VerifyRule::Mode::strict || mode == VerifyRule::Mode::allow_extra;
}
bool forbids_extra(VerifyRule::Mode mode) {
    return mode == VerifyRule::Mode::strict || mode == VerifyRule::Mode::allow_missing;
}

}  // namespace

Result<ResourceSet> resource_set_of_entries(const JsonArray& entries) {
    HostTable table;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (!entries[i].is_object()) return fail(EINVAL, "config[{}]: not a table", i);
        if (const auto read = read_entry(entries[i].get_object(), table); !read)
            return Error{EINVAL, fmt::format("config[{}]: {}", i, read.error().text())};
    }
    ResourceSet R;
    for (ResourceSet::Node& node : table.nodes) {
        if (node.cores.empty() && node.gpus.empty())
            return fail(EINVAL, "resource.config: {} assigned no resources", node.host);
        R.add(std::move(node));
    }
    R.properties = std::move(table.properties);
    return R;
}

ResourceSet FakeResources::resource_set() const {
    ResourceSet R;
    for (std::uint32_t rank = 0; rank < nnodes; ++rank)
        R.add({rank, fmt::format("{}{}", host_prefix, rank), Idset::range(0, cores_per_node - 1),
               gpus_per_node ? Idset::range(0, gpus_per_node - 1) : Idset{}});
    return R;
}

Result<ResourceConfig> ResourceConfig::from_config(const JsonObject& config) {
    ResourceConfig out;
    JsonReader in{config};
    const JsonObject* resource = in.maybe_object("resource");
    const JsonObject* fake = in.maybe_object("fake-resources");
    if (!in) return in.error();
    if (resource)
        if (const auto read = read_resource(*resource, out); !read)
            return below("resource", read.error());
    if (fake) {
        auto read = read_fake(*fake);
        if (!read) return below("fake-resources", read.error());
        out.fake = *std::move(read);
    }
    return out;
}

Result<ResourceSet> rerank(const ResourceSet& R, const Hostlist& instance) {
    std::unordered_map<std::string, std::uint32_t> rank_of_host;
    for (std::size_t rank = 0; rank < instance.size(); ++rank)
        rank_of_host.try_emplace(instance[rank], static_cast<std::uint32_t>(rank));
    if (instance.size() > R.node_count())
        return fail(EINVAL,
                    "error reranking R: Number of hosts ({}) is greater than node count ({})",
                    instance.size(), R.node_count());
    std::vector<std::uint32_t> rank_of(R.node_count());
    std::vector<std::size_t> unplaced;
    Idset free = Idset::range(0, static_cast<std::uint32_t>(R.node_count()) - 1);
    for (std::size_t i = 0; i < R.node_count(); ++i) {
        const auto found = rank_of_host.find(R.nodes()[i].host);
        if (found == rank_of_host.end() || !free.contains(found->second)) {
            unplaced.push_back(i);
            continue;
        }
        rank_of[i] = found->second;
        free.erase(found->second);
    }
    if (unplaced.size() == R.node_count()) return R;
    for (const std::size_t i : unplaced) {
        rank_of[i] = free.first();
        free.erase(rank_of[i]);
    }
    return with_ranks(R, rank_of);
}

ResourceSet renumbered(const ResourceSet& R) {
    std::vector<std::uint32_t> rank_of(R.node_count());
    for (std::size_t i = 0; i < rank_of.size(); ++i) rank_of[i] = static_cast<std::uint32_t>(i);
    return with_ranks(R, rank_of);
}

ResourceSet seen_from_inside(const ResourceSet& R, std::string_view cpu_affinity) {
    for (const char* unbound : {"off", "dry-run", "map:"})
        if (cpu_affinity.find(unbound) != cpu_affinity.npos) return R;
    ResourceSet inside;
    for (ResourceSet::Node node : R.nodes()) {
        if (!node.cores.empty())
            node.cores = Idset::range(0, static_cast<Idset::Id>(node.cores.size() - 1));
        inside.add(std::move(node));
    }
    inside.starttime = R.starttime;
    inside.expiration = R.expiration;
    inside.nslots = R.nslots;
    inside.properties = R.properties;
    return inside;
}

std::string verify_node(const ResourceSet::Node& expected, const NodeDescription& found,
                        const VerifyRule& rule) {
    if (rule.hostname == VerifyRule::Mode::strict && !expected.host.empty() &&
        expected.host != found.hostname)
        return fmt::format("hostname is {}, R has {}", found.hostname, expected.host);
    const struct {
        VerifyRule::Mode mode;
        const Idset &wanted, &have;
        std::string_view type;
    } kinds[] = {{rule.core, expected.cores, found.cores, "core"},
                 {rule.gpu, expected.gpus, found.gpus, "gpu"}};
    std::string missing, extra;
    for (const auto& kind : kinds) {
        if (forbids_missing(kind.mode)) {
            const std::string text = lacking(kind.wanted, kind.have, kind.type);
            if (!text.empty()) missing += (missing.empty() ? "" : ",") + text;
        }
        if (forbids_extra(kind.mode)) {
            const std::string text = lacking(kind.have, kind.wanted, kind.type);
            if (!text.empty()) extra += (extra.empty() ? "" : ",") + text;
        }
    }
    if (!missing.empty()) return "missing resources: " + missing;
    if (!extra.empty()) return "extra resources: " + extra;
    return {};
}

}  // namespace sluice
