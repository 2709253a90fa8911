// flux R: makes, combines and shows resource sets (RFC 20). Sets come from standard input, one JSON
// document after the other, and go to standard output.
#include <fmt/format.h>

#include <cstdio>

#include "base/rfc/constraint.hpp"
#include "base/rfc/resource_set.hpp"
#include "cmd/R_parse_config.hpp"
#include "cmd/cli.hpp"
#include "cmd/client.hpp"
#include "cmd/commands.hpp"
#include "cmd/local_resources.hpp"
#include "resource/resource_config.hpp"

namespace sluice {
namespace {

constexpr CliStyle style = CliStyle::c_tool;

/// Texts of the JSON objects that follow each other in `text`.
Result<std::vector<std::string_view>> split_objects(std::string_view text) {
    std::vector<std::string_view> objects;
    std::size_t start = 0;
    int depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            if (c == '\\') ++i;
            if (c == '"') quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == '{' && depth++ == 0) {
            start = i;
        } else if (c == '}' && --depth == 0) {
            objects.push_back(text.substr(start, i + 1 - start));
        }
        if (depth < 0) break;
    }
    if (depth != 0 || quoted) return fail(EINVAL, "R: standard input ends inside a JSON object");
    if (objects.empty()) return fail(EINVAL, "R: no resource set on standard input");
    return objects;
}

Result<std::vector<ResourceSet>> read_sets() {
    const std::string text = read_stdin();
    SLUICE_TRY(const auto objects, split_objects(text));
    std::vector<ResourceSet> sets;
    for (const std::string_view object : objects) {
        SLUICE_TRY(ResourceSet set, ResourceSet::parse(object));
        sets.push_back(std::move(set));
    }
    return sets;
}

/// All sets of standard input as one.
Result<ResourceSet> read_union() {
    SLUICE_TRY(const auto sets, read_sets());
    ResourceSet all = sets.front();
    for (std::size_t i = 1; i < sets.size(); ++i) all = all | sets[i];
    return all;
}

/// As read_union, of sets that have nothing in common.
Result<ResourceSet> read_disjoint() {
    SLUICE_TRY(const auto sets, read_sets());
    ResourceSet all = sets.front();
    for (std::size_t i = 1; i < sets.size(); ++i) {
        if (const ResourceSet common = all & sets[i]; !common.empty())
            return fail(EEXIST, "append: resources {} are in two sets", common.to_short());
        all = all | sets[i];
    }
    return all;
}

int print_set(const Cli& cli, const Result<ResourceSet>& set) {
    if (!set) return cli.error(set.error().text());
    write_stdout(set->to_string() + '\n');
    return 0;
}

/// Adds "NAME" (all ranks) or "NAME:RANKS".
Result<void> add_property(ResourceSet& set, std::string_view text) {
    const std::size_t colon = text.find(':');
    const std::string name{text.substr(0, colon)};
    SLUICE_CHECK(check_property_name(name));
    Idset ranks = set.ranks();
    if (colon != std::string_view::npos) {
        SLUICE_TRY(const Idset wanted, Idset::parse(text.substr(colon + 1)));
        const Idset unknown = wanted - ranks;
        if (!unknown.empty())
            return fail(EINVAL, "{} {} not found in target resource list",
                        unknown.size() == 1 ? "rank" : "ranks", unknown.to_string());
        ranks = wanted;
    }
    set.properties[name] |= ranks;
    return {};
}

Result<void> add_properties(ResourceSet& set, const std::vector<std::string>& properties) {
    for (const std::string& property : properties)
        if (const auto added = add_property(set, property); !added)
            return added.error().in("failed to assign properties");
    return {};
}

struct EncodeOptions {
    std::optional<std::string> ranks, hosts;
    std::string cores, gpus, xml;
    bool local = false;
    std::vector<std::string> properties;
};

/// The cores and GPUs of each rank: as given, else those found here, else core 0.
Result<LocalResources> children(const EncodeOptions& options) {
    const bool given = !options.cores.empty() || !options.gpus.empty();
    const bool probe = options.local || !options.xml.empty();
    if (probe && given)
        return fail(EINVAL, "do not specify --cores or --gpus with --local or --xml");
    if (probe) return local_resources(options.xml);
    LocalResources wanted;
    SLUICE_TRY(wanted.cores, Idset::parse(given ? options.cores : "0"));
    SLUICE_TRY(wanted.gpus, Idset::parse(options.gpus));
    return wanted;
}

Result<ResourceSet> encode(const EncodeOptions& options) {
    Hostlist hosts;
    if (options.hosts) {
        SLUICE_TRY(hosts, Hostlist::parse(*options.hosts));
    }
    Idset ranks = Idset::range(0, hosts.empty() ? 0 : static_cast<Idset::Id>(hosts.size() - 1));
    if (options.ranks) {
        SLUICE_TRY(ranks, Idset::parse(*options.ranks));
    }
    if (options.hosts && hosts.size() != ranks.size())
        return fail(EINVAL, "hostname count in '{}' does not match nranks ({})", *options.hosts,
                    ranks.size());
    SLUICE_TRY(const LocalResources each, children(options));
    ResourceSet set;
    const std::string own_host = host_name();
    std::size_t i = 0;
    for (const std::uint32_t rank : ranks)
        set.add({rank, options.hosts ? hosts[i++] : own_host, each.cores, each.gpus});
    SLUICE_CHECK(add_properties(set, options.properties));
    return set;
}

int cmd_encode(int argc, char** argv) {
    EncodeOptions options;
    Cli cli("flux-R encode", style, "[OPTIONS]", "Make a resource set");
    cli.option("-r,--ranks=IDSET", options.ranks, "ranks of the set (default: one a host)");
    cli.option("-c,--cores=IDSET", options.cores, "core ids of each rank (default: 0)");
    cli.option("-g,--gpus=IDSET", options.gpus, "gpu ids of each rank");
    cli.option("-H,--hosts=HOSTS", options.hosts, "a host name for each rank (default: this host)");
    cli.option("-p,--property=NAME[:RANKS]", options.properties, "property of all or some ranks");
    cli.flag("-l,--local", options.local, "the cores and gpus that this node has, for each rank");
    cli.option("-f,--xml=FILE", options.xml, "the cores and gpus of an hwloc XML file");
    if (const auto code = cli.parse(argc, argv)) return *code;
    return print_set(cli, encode(options));
}

int cmd_append(int argc, char** argv) {
    Cli cli("flux-R append", style, "", "Join resource sets");
    if (const auto code = cli.parse(argc, argv)) return *code;
    return print_set(cli, read_disjoint());
}

/// Combines the first set with each later one.
template <class Combine>
Result<ResourceSet> fold_sets(Combine combine) {
    SLUICE_TRY(const auto sets, read_sets());
    ResourceSet result = sets.front();
    for (std::size_t i = 1; i < sets.size(); ++i) result = combine(result, sets[i]);
    return result;
}

int cmd_diff(int argc, char** argv) {
    Cli cli("flux-R diff", style, "", "Take the later resource sets away from the first");
    if (const auto code = cli.parse(argc, argv)) return *code;
    return print_set(cli, fold_sets([](const auto& a, const auto& b) { return a - b; }));
}

int cmd_intersect(int argc, char** argv) {
    Cli cli("flux-R intersect", style, "", "Keep the resources that all sets have");
    if (const auto code = cli.parse(argc, argv)) return *code;
    return print_set(cli, fold_sets([](const auto& a, const auto& b) { return a & b; }));
}

int cmd_remap(int argc, char** argv) {
    Cli cli("flux-R remap", style, "", "Number the ranks from 0");
    if (const auto code = cli.parse(argc, argv)) return *code;
    const auto set = read_union();
    if (!set) return cli.error(set.error().text());
    return print_set(cli, renumbered(*set));
}

/// Ranks in the order of the hosts, which must be exactly those of the set.
Result<ResourceSet> in_order_of(const ResourceSet& set, std::string_view host_text) {
    SLUICE_TRY(const Hostlist hosts, Hostlist::parse(host_text));
    if (hosts.size() != set.node_count())
        return fail(EINVAL, "Too {} hosts specified (expected {})",
                    hosts.size() < set.node_count() ? "few" : "many", set.node_count());
    for (const auto& node : set.nodes())
        if (!hosts.contains(node.host))
            return fail(ENOENT, "Host {} not found in '{}'", node.host, host_text);
    return rerank(set, hosts);
}

int cmd_rerank(int argc, char** argv) {
    Cli cli("flux-R rerank", style, "HOSTS", "Number the ranks in the order of HOSTS");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() != 1) return cli.usage_error("expected one host list");
    const auto set = read_union();
    if (!set) return cli.error(set.error().text());
    return print_set(cli, in_order_of(*set, cli.words()[0]));
}

int cmd_set_property(int argc, char** argv) {
    Cli cli("flux-R set-property", style, "NAME[:RANKS]...", "Give ranks properties");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().empty()) return cli.usage_error("expected at least one NAME[:RANKS]");
    auto set = read_union();
    if (!set) return cli.error(set.error().text());
    if (const auto done = add_properties(*set, cli.words()); !done)
        return cli.error(done.error().text());
    return print_set(cli, *set);
}

struct DecodeOptions {
    bool short_form = false, nodelist = false, ranks = false;
    std::optional<std::string> count, include, exclude, properties;
};

/// Ranks of an idset or, if it is none, of hosts.
Result<Idset> ranks_of(const ResourceSet& set, const std::string& text) {
    if (auto ranks = Idset::parse(text)) return ranks;
    SLUICE_TRY(const Hostlist hosts, Hostlist::parse(text));
    Idset ranks;
    for (const auto& node : set.nodes())
        if (hosts.contains(node.host)) ranks.insert(node.rank);
    return ranks;
}

/// Ranks that have all of the comma-separated properties; "^p" stands for not having p.
Idset ranks_with(const ResourceSet& set, std::string_view properties) {
    Idset ranks = set.ranks();
    while (!properties.empty()) {
        const std::size_t comma = std::min(properties.find(','), properties.size());
        std::string_view name = properties.substr(0, comma);
        properties.remove_prefix(std::min(comma + 1, properties.size()));
        const bool negated = name.starts_with('^');
        if (negated) name.remove_prefix(1);
        const auto found = set.properties.find(std::string{name});
        const Idset holders = found == set.properties.end() ? Idset{} : found->second;
        ranks = negated ? ranks - holders : ranks & holders;
    }
    return ranks;
}

Result<std::string> decode(ResourceSet set, const DecodeOptions& options) {
    if (options.include) {
        SLUICE_TRY(const Idset ranks, ranks_of(set, *options.include));
        set = set.only_ranks(ranks);
    }
    if (options.exclude) {
        SLUICE_TRY(const Idset ranks, ranks_of(set, *options.exclude));
        set = set.without_ranks(ranks);
    }
    if (options.properties) set = set.only_ranks(ranks_with(set, *options.properties));
    if (options.short_form) return set.to_short();
    if (options.nodelist) return set.nodelist().to_string();
    if (options.ranks) return set.ranks().to_string();
    if (!options.count) return set.to_string();
    if (*options.count == "node") return fmt::format("{}", set.node_count());
    if (*options.count == "core") return fmt::format("{}", set.core_count());
    if (*options.count == "gpu") return fmt::format("{}", set.gpu_count());
    return fail(EINVAL, "--count: unknown type '{}'; use node, core or gpu", *options.count);
}

int cmd_decode(int argc, char** argv) {
    DecodeOptions options;
    Cli cli("flux-R decode", style, "[OPTIONS]", "Show a resource set or a part of it");
    cli.flag("-s,--short", options.short_form, "show ranks with their cores and gpus");
    cli.flag("-n,--nodelist", options.nodelist, "show the host names");
    cli.flag("-r,--ranks", options.ranks, "show the ranks");
    cli.option("-c,--count=TYPE", options.count, "show the number of TYPE: node, core or gpu");
    cli.option("-i,--include=RANKS", options.include, "take only these ranks or hosts");
    cli.option("-x,--exclude=RANKS", options.exclude, "leave these ranks or hosts out");
    cli.option("-p,--properties=LIST", options.properties,
               "take only ranks with these properties (^NAME: without)");
    if (const auto code = cli.parse(argc, argv)) return *code;
    auto set = read_union();
    if (!set) return cli.error(set.error().text());
    const auto text = decode(*std::move(set), options);
    if (!text) return cli.error(text.error().text());
    write_stdout(*text + '\n');
    return 0;
}

/// Prints what a node has more or less than expected. False when it lacks something.
bool verify_and_print(const Cli& cli, const ResourceSet::Node& expected,
                      const ResourceSet::Node& found) {
    if (expected.host != found.host) {
        cli.error(fmt::format("rank {} got hostname '{}', expected '{}'", found.rank, found.host,
                              expected.host));
        return false;
    }
    const auto print_rest = [&](std::string_view what, const ResourceSet::Node& more,
                                const ResourceSet::Node& less) {
        const ResourceSet::Node rest{more.rank, more.host, more.cores - less.cores,
                                     more.gpus - less.gpus};
        const std::string text = rest.children();
        if (!text.empty())
            cli.error(fmt::format("rank {} ({}) {} resources: {}", more.rank, more.host, what,
                                  text));
        return !text.empty();
    };
    print_rest("has extra", found, expected);  // does no harm
    return !print_rest("missing", expected, found);
}

int cmd_verify(int argc, char** argv) {
    Cli cli("flux-R verify", style, "", "Compare the second resource set with the first");
    if (const auto code = cli.parse(argc, argv)) return *code;
    const auto sets = read_sets();
    if (!sets) return cli.error(sets.error().text());
    if (sets->size() != 2)
        return cli.error(fmt::format("expected 2 resource sets, found {}", sets->size()));
    int code = 0;
    for (const auto& found : (*sets)[1].nodes()) {
        const auto* expected = (*sets)[0].find(found.rank);
        if (!expected) {
            code = cli.error(fmt::format("rank {} not found in expected ranks", found.rank));
            continue;
        }
        if (!verify_and_print(cli, *expected, found)) code = 1;
    }
    return code;
}

int cmd_parse_config(int argc, char** argv) {
    Cli cli("flux-R parse-config", style, "PATH", "Make the set that a configuration declares");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() != 1) return cli.usage_error("expected one file or folder");
    const auto set = configured_resources(cli.words()[0]);
    if (!set) return cli.error("Config file error: " + set.error().text());
    return print_set(cli, set);
}

constexpr Command subcommands[] = {
    {"append", cmd_append, "Join resource sets"},
    {"decode", cmd_decode, "Show a resource set or a part of it"},
    {"diff", cmd_diff, "Take the later resource sets away from the first"},
    {"encode", cmd_encode, "Make a resource set"},
    {"intersect", cmd_intersect, "Keep the resources that all sets have"},
    {"parse-config", cmd_parse_config, "Make the set that a configuration declares"},
    {"remap", cmd_remap, "Number the ranks from 0"},
    {"rerank", cmd_rerank, "Number the ranks in the order of HOSTS"},
    {"set-property", cmd_set_property, "Give ranks properties"},
    {"verify", cmd_verify, "Compare the second resource set with the first"},
};

}  // namespace

int cmd_R(int argc, char** argv) { return run_subcommand("flux-R", subcommands, argc, argv); }

}  // namespace sluice
