// flux overlay: state of the tree of brokers, and who is where in it.
#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdio>

#include "cmd/client.hpp"
#include "cmd/color.hpp"
#include "cmd/commands.hpp"
#include "cmd/format/overlay_tree.hpp"
#include "cmd/instance.hpp"
#include "cmd/trace.hpp"

namespace sluice {
namespace {

using Clock = std::chrono::steady_clock;

/// The shape of the tree, as overlay.topology tells it.
struct Topology {
    std::uint32_t rank = 0;
    std::vector<Topology> children;
};

Result<Topology> decode_topology(const JsonObject& object) {
    JsonReader in{object};
    Topology topology{.rank = static_cast<std::uint32_t>(in.integer("rank"))};
    for (const Json& child : in.array("children")) {
        if (!child.is_object()) return fail(EPROTO, "overlay.topology: a child is not an object");
        SLUICE_TRY(Topology decoded, decode_topology(child.as_object()));
        topology.children.push_back(std::move(decoded));
    }
    if (!in) return in.error();
    return topology;
}

Result<Topology> load_topology(Handle& flux, std::uint32_t rank) {
    SLUICE_TRY(const JsonObject reply,
               flux.call("overlay.topology", {{"rank", rank}}, {.nodeid = rank}));
    return decode_topology(reply);
}

std::optional<double> limit_of(std::optional<double> seconds) {
    return seconds && *seconds > 0 ? seconds : std::nullopt;
}

bool can_be_asked(const OverlayNode& node) {
    return node.status == "full" || node.status == "partial" || node.status == "degraded";
}

OverlayNode decode_node(const JsonObject& object) {
    JsonReader in{object};
    return {.rank = static_cast<std::uint32_t>(in.integer("rank")),
            .status = in.string("status"),
            .seconds = in.number("duration"),
            .error = in.string_or("error", "")};
}

OverlayNode ghost_of(const Topology& topology, const std::string& status) {
    OverlayNode node{.rank = topology.rank, .status = status, .ghost = true};
    for (const Topology& child : topology.children)
        node.children.push_back(ghost_of(child, status));
    return node;
}

/// Asks the brokers of a subtree for their health, top down; leaves need not be asked.
class HealthReader {
  public:
    HealthReader(Handle& flux, std::optional<double> limit) : flux_(flux), limit_(limit) {}

    Result<OverlayNode> ask(std::uint32_t rank) {
        const auto begin = Clock::now();
        SLUICE_TRY(const JsonObject reply,
                   call_within(flux_, "overlay.health", {}, {.nodeid = rank}, limit_));
        OverlayNode node = decode_node(reply);
        node.rpc_seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        JsonReader in{reply};
        for (const Json& child : in.array("children"))
            if (child.is_object()) node.children.push_back(decode_node(child.as_object()));
        if (!in) return in.error();
        return node;
    }

    /// Replaces what a parent knows of its children by what they say themselves.
    void descend(OverlayNode& node, const Topology& topology) {
        for (OverlayNode& child : node.children) {
            const auto shape = std::ranges::find(topology.children, child.rank, &Topology::rank);
            if (shape == topology.children.end() || shape->children.empty()) continue;
            if (!can_be_asked(child)) {
                for (const Topology& below : shape->children)
                    child.children.push_back(ghost_of(below, child.status));
                continue;
            }
            auto answer = ask(child.rank);
            if (!answer) {
                child.error = errno_text(answer.error());
                continue;
            }
            child = *std::move(answer);
            descend(child, *shape);
        }
    }

  private:
    Handle& flux_;
    std::optional<double> limit_;
};

Result<Idset> parse_targets(const std::string& text, const Hostlist& hosts) {
    if (auto ranks = Idset::parse(text)) return ranks;
    SLUICE_TRY(const Hostlist names, Hostlist::parse(text));
    Idset ranks;
    for (const std::string& name : names.hosts()) {
        const auto found = hosts.find(name);
        if (!found) return fail(EINVAL, "host {} not found in host map", name);
        for (std::size_t rank = *found; rank < hosts.size(); ++rank)
            if (hosts[rank] == name) ranks.insert(static_cast<std::uint32_t>(rank));
    }
    return ranks;
}

struct StatusOptions {
    std::int64_t rank = 0;
    std::optional<double> timeout = 0.5;
    bool summary = false, no_pretty = false, no_ghost = false;
    std::string wait;
    std::vector<std::string> highlight;
    ColorWhen color = ColorWhen::automatic;
    OverlayTreeOptions tree;
};

Result<void> wait_for_status(Handle& flux, const StatusOptions& options) {
    bool reached = false;
    std::optional<Error> failure;
    bool expired = false;
    const RpcOptions rpc{.nodeid = static_cast<std::uint32_t>(options.rank), .streaming = true};
    const Matchtag tag = flux.send("overlay.health", {}, rpc, [&](const Reply& reply) {
        const auto payload = reply.json();
        if (!payload)
            failure = payload.error();
        else if (const Json* status = find_path(*payload, "status"))
            reached = reached || (status->is_string() && status->as_string() == options.wait);
    });
    const auto until = [&] { return reached || failure || expired; };
    if (const auto limit = limit_of(options.timeout)) {
        const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                 std::chrono::duration<double>(*limit));
        while (!until() && flux.connected()) {
            if (Clock::now() >= deadline)
                expired = true;
            else
                flux.io().run_one_until(deadline);
        }
    } else {
        flux.run_until(until);
    }
    flux.forget(tag);
    if (failure) return *failure;
    if (!reached) return Error{expired ? ETIMEDOUT : ECONNRESET};
    return {};
}

Result<void> print_status(Handle& flux, StatusOptions options) {
    const auto rank = static_cast<std::uint32_t>(options.rank);
    if (!options.wait.empty()) SLUICE_CHECK(wait_for_status(flux, options));
    HealthReader reader{flux, limit_of(options.timeout)};
    SLUICE_TRY(OverlayNode root, reader.ask(rank));
    if (options.summary) {
        fmt::print("{}\n", root.status);
        return {};
    }
    SLUICE_TRY(const Topology topology, load_topology(flux, rank));
    SLUICE_TRY(const Hostlist hosts, instance_hosts(flux));
    for (const std::string& target : options.highlight) {
        SLUICE_TRY(const Idset ranks, parse_targets(target, hosts));
        options.tree.highlight |= ranks;
    }
    reader.descend(root, topology);
    options.tree.pretty = !options.no_pretty;
    options.tree.ghosts = !options.no_ghost;
    options.tree.color = use_color(options.color);
    fmt::print("{}", overlay_tree(root, hosts, options.tree));
    return {};
}

Cli::Apply status_name_into(std::string& to) {
    return [&to](std::optional<std::string> value) -> Result<void> {
        for (const char* known : {"full", "partial", "offline", "degraded", "lost"})
            if (value == known) return to = known, Result<void>{};
        return fail(EINVAL,
                    "invalid --wait state '{}'; use full, partial, offline, degraded or lost",
                    value.value_or(""));
    };
}

Cli::Apply verbosity_into(int& to) {
    return [&to](std::optional<std::string> value) -> Result<void> {
        if (!value) return ++to, Result<void>{};
        SLUICE_TRY(const std::int64_t level, parse_integer(*value));
        to = static_cast<int>(level);
        return {};
    };
}

int cmd_overlay_status(int argc, char** argv) {
    StatusOptions options;
    Cli cli("flux-overlay status", CliStyle::c_tool, "[OPTIONS]",
            "Show the state of the tree of brokers.");
    cli.option("-r,--rank=N", integer_into(options.rank), "Root of what is shown (0)");
    cli.option("-v,--verbose[=LEVEL]", verbosity_into(options.tree.verbose),
               "Show for how long, twice: time of the answers");
    cli.option("-t,--timeout=FSD", duration_into(options.timeout), "Limit of each request (0.5s)");
    cli.flag("--summary", options.summary, "Show only the state of the root");
    cli.flag("--down", options.tree.down, "Show only what is not full");
    cli.flag("--no-pretty", options.no_pretty, "Do not show the shape of the tree");
    cli.flag("--no-ghost", options.no_ghost, "Leave out what is below lost brokers");
    cli.option("-L,--color[=WHEN]", color_into(options.color), "Colors: always, never or auto");
    cli.option("-H,--highlight=TARGET", options.highlight, "Mark ranks or hosts");
    cli.option("-w,--wait=STATE", status_name_into(options.wait), "Wait until the root has STATE");
    if (const auto code = cli.parse(argc, argv)) return *code;
    auto flux = open_builtin();
    if (!flux) return 1;
    const auto done = print_status(*flux, options);
    return done ? 0 : (fmt::print(stderr, "flux-overlay: {}\n", done.error().text()), 1);
}

Result<void> print_errors(Handle& flux, std::optional<double> timeout) {
    HealthReader reader{flux, limit_of(timeout)};
    SLUICE_TRY(OverlayNode root, reader.ask(0));
    SLUICE_TRY(const Topology topology, load_topology(flux, 0));
    SLUICE_TRY(const Hostlist hosts, instance_hosts(flux));
    reader.descend(root, topology);
    fmt::print("{}", overlay_errors(root, hosts));
    return {};
}

int cmd_overlay_errors(int argc, char** argv) {
    std::optional<double> timeout = 0.5;
    Cli cli("flux-overlay errors", CliStyle::c_tool, "[OPTIONS]",
            "Show why brokers are lost or offline.");
    cli.option("-t,--timeout=FSD", duration_into(timeout), "Limit of each request (0.5s)");
    if (const auto code = cli.parse(argc, argv)) return *code;
    auto flux = open_builtin();
    if (!flux) return 1;
    const auto done = print_errors(*flux, timeout);
    return done ? 0 : (fmt::print(stderr, "flux-overlay: {}\n", done.error().text()), 1);
}

Result<std::string> lookup(Handle& flux, const std::string& target) {
    SLUICE_TRY(const Hostlist hosts, instance_hosts(flux));
    const auto ranks = Idset::parse(target);
    if (!ranks) {
        SLUICE_TRY(const Idset found, parse_targets(target, hosts));
        return found.to_string();
    }
    Hostlist names;
    for (const std::uint32_t rank : *ranks) {
        if (rank >= hosts.size()) return fail(EINVAL, "rank {} is not valid in host map", rank);
        names.append(hosts[rank]);
    }
    return names.to_string();
}

/// The rank of `target`, one rank or host.
Result<std::uint32_t> one_rank(Handle& flux, const std::string& target) {
    if (const auto number = parse_integer(target)) return static_cast<std::uint32_t>(*number);
    SLUICE_TRY(const Hostlist hosts, instance_hosts(flux));
    SLUICE_TRY(const Idset ranks, parse_targets(target, hosts));
    if (ranks.size() != 1) return fail(EINVAL, "'{}' is not one rank or host", target);
    return ranks.first();
}

std::optional<std::uint32_t> find_parent(const Topology& node, std::uint32_t rank) {
    for (const Topology& child : node.children) {
        if (child.rank == rank) return node.rank;
        if (const auto found = find_parent(child, rank)) return found;
    }
    return std::nullopt;
}

Result<std::uint32_t> parent_of(Handle& flux, std::uint32_t rank) {
    SLUICE_TRY(const Topology root, load_topology(flux, 0));
    const auto parent = find_parent(root, rank);
    if (!parent) return fail(EINVAL, "{} has no parent", rank);
    return *parent;
}

Result<void> disconnect(Handle& flux, const std::string& target, std::int64_t given_parent) {
    SLUICE_TRY(const std::uint32_t rank, one_rank(flux, target));
    auto parent = static_cast<std::uint32_t>(given_parent);
    if (given_parent < 0) {
        SLUICE_TRY(parent, parent_of(flux, rank));
    }
    SLUICE_TRY(const Hostlist hosts, instance_hosts(flux));
    const auto host = [&](std::uint32_t id) { return id < hosts.size() ? hosts[id] : "?"; };
    fmt::print(stderr, "flux-overlay: asking {} (rank {}) to disconnect child {} (rank {})\n",
               host(parent), parent, host(rank), rank);
    SLUICE_TRY(const JsonObject reply,
               flux.call("overlay.disconnect-subtree", {{"rank", rank}}, {.nodeid = parent}));
    return {};
}

/// A sub-command with one word, which gives a text to print or an error.
int with_target(const Cli& cli, const std::function<Result<std::string>(Handle&)>& run) {
    if (cli.words().size() != 1) return cli.usage_error("give one target");
    auto flux = open_builtin();
    if (!flux) return 1;
    const auto text = run(*flux);
    if (!text) {
        fmt::print(stderr, "flux-overlay: {}\n", text.error().text());
        return 1;
    }
    fmt::print("{}", *text);
    return 0;
}

int cmd_overlay_lookup(int argc, char** argv) {
    Cli cli("flux-overlay lookup", CliStyle::c_tool, "TARGET",
            "Translate ranks to hosts, or hosts to ranks.");
    if (const auto code = cli.parse(argc, argv)) return *code;
    return with_target(cli, [&](Handle& flux) -> Result<std::string> {
        SLUICE_TRY(const std::string text, lookup(flux, cli.words()[0]));
        return text + "\n";
    });
}

int cmd_overlay_parentof(int argc, char** argv) {
    Cli cli("flux-overlay parentof", CliStyle::c_tool, "TARGET",
            "Print the rank of the parent of a rank or host.");
    if (const auto code = cli.parse(argc, argv)) return *code;
    return with_target(cli, [&](Handle& flux) -> Result<std::string> {
        SLUICE_TRY(const std::uint32_t rank, one_rank(flux, cli.words()[0]));
        SLUICE_TRY(const std::uint32_t parent, parent_of(flux, rank));
        return fmt::format("{}\n", parent);
    });
}

int cmd_overlay_disconnect(int argc, char** argv) {
    std::int64_t parent = -1;
    Cli cli("flux-overlay disconnect", CliStyle::c_tool, "[OPTIONS] TARGET",
            "Disconnect the subtree of a rank or host.");
    cli.option("-r,--parent=N", integer_into(parent), "Rank of its parent (by the topology)");
    if (const auto code = cli.parse(argc, argv)) return *code;
    return with_target(cli, [&](Handle& flux) -> Result<std::string> {
        SLUICE_CHECK(disconnect(flux, cli.words()[0], parent));
        return std::string{};
    });
}

constexpr Command commands[] = {
    {"status", cmd_overlay_status, "Show the state of the tree of brokers"},
    {"errors", cmd_overlay_errors, "Show why brokers are lost or offline"},
    {"lookup", cmd_overlay_lookup, "Translate ranks to hosts, or hosts to ranks"},
    {"parentof", cmd_overlay_parentof, "Print the parent of a rank or host"},
    {"disconnect", cmd_overlay_disconnect, "Disconnect a subtree"},
    {"trace", cmd_overlay_trace, "Show the messages between brokers"},
};

}  // namespace

int cmd_overlay(int argc, char** argv) {
    return run_subcommand("flux-overlay", commands, argc, argv);
}

}  // namespace sluice
