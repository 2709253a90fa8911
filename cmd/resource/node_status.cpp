#include "cmd/resource/node_status.hpp"

#include <algorithm>
#include <array>

namespace sluice {
namespace {

Result<Idset> read_idset(JsonReader& in, std::string_view key) {
    const std::string text = in.string_or(key, "");
    if (!in) return in.error();
    return Idset::parse(text);
}

Result<std::vector<NodeStatus::Drain>> read_drains(const JsonObject& object) {
    std::vector<NodeStatus::Drain> drains;
    for (const auto& [ranks, value] : object) {
        if (!value.is_object()) return fail(EPROTO, "resource.status: bad drain entry");
        JsonReader in{value.get_object()};
        NodeStatus::Drain drain;
        drain.timestamp = in.number("timestamp");
        drain.reason = in.string("reason");
        if (!in) return in.error();
        SLUICE_TRY(drain.ranks, Idset::parse(ranks));
        drains.push_back(std::move(drain));
    }
    return drains;
}

/// Ranks still in housekeeping; an instance without it tells nothing.
Idset housekeeping_ranks(Handle& flux) {
    Idset ranks;
    const auto stats = flux.call("job-manager.stats-get", {}, {.nodeid = 0});
    if (!stats) return ranks;
    const Json* running = find_path(*stats, "housekeeping.running");
    if (!running || !running->is_object()) return ranks;
    for (const auto& member : running->get_object()) {
        const Json* pending = find_path(member.value(), "pending");
        if (!pending || !pending->is_string()) continue;
        if (const auto some = Idset::parse(pending->get_string())) ranks |= *some;
    }
    return ranks;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 12> headings{{
    {"state", "STATE"}, {"statex", "STATE"}, {"status", "STATUS"}, {"up", "UP"},
    {"up.ascii", "UP"}, {"color_up", ""}, {"color_off", ""}, {"nnodes", "NNODES"},
    {"ranks", "RANKS"}, {"nodelist", "NODELIST"}, {"reason", "REASON"}, {"timestamp", "TIME"},
}};

/// What the format shows, and hence what splits a line.
struct Shown {
    bool online = false, reason = false, timestamp = false;
    explicit Shown(const OutputFormat& format) {
        for (const std::string& field : format.fields()) {
            online |= field == "state" || field == "status" || field.starts_with("up");
            reason |= field == "reason";
            timestamp |= field == "timestamp";
        }
    }
};

}  // namespace

const std::vector<std::string>& node_states() {
    static const std::vector<std::string> states{
        "all",      "online",  "avail",  "offline",   "exclude",     "drain",
        "draining", "drained", "torpid", "allocated", "housekeeping"};
    return states;
}

Result<void> check_node_states(const std::vector<std::string>& states) {
    for (const std::string& state : states)
        if (std::ranges::find(node_states(), state) == node_states().end())
            return fail(EINVAL, "Invalid resource state {} specified", state);
    return {};
}

Idset NodeStatus::drained_ranks() const {
    Idset ranks;
    for (const Drain& drain : drains) ranks |= drain.ranks;
    return ranks;
}

Idset NodeStatus::in_state(std::string_view state) const {
    const Idset all = R.ranks();
    const Idset drain = drained_ranks();
    const Idset busy = allocated | housekeeping;
    Idset ranks;
    if (state == "all") ranks = all;
    else if (state == "online") ranks = online;
    else if (state == "offline") ranks = offline;
    else if (state == "avail") ranks = all - exclude - drain;
    else if (state == "exclude") ranks = exclude;
    else if (state == "drain") ranks = drain;
    else if (state == "draining") ranks = drain & busy;
    else if (state == "drained") ranks = drain - busy;
    else if (state == "torpid") ranks = torpid;
    else if (state == "allocated") ranks = allocated;
    else if (state == "housekeeping") ranks = housekeeping;
    return ranks & all;
}

Result<NodeStatus> load_node_status(Handle& flux, const RankFilter& filter) {
    SLUICE_TRY(const JsonObject reply, flux.call("resource.status", {}, {.nodeid = 0}));
    SLUICE_TRY(const ResourceSets sets, load_resource_sets(flux));
    JsonReader in{reply};
    NodeStatus status;
    const JsonObject& R = in.object("R");
    const JsonObject& drain = in.object("drain");
    if (!in) return in.error();
    SLUICE_TRY(const ResourceSet all, ResourceSet::from_json(R));
    SLUICE_TRY(const Idset ranks, filter.ranks(all, sets.config));
    status.R = all.only_ranks(ranks);
    SLUICE_TRY(status.online, read_idset(in, "online"));
    SLUICE_TRY(status.offline, read_idset(in, "offline"));
    SLUICE_TRY(status.exclude, read_idset(in, "exclude"));
    SLUICE_TRY(status.torpid, read_idset(in, "torpid"));
    SLUICE_TRY(status.drains, read_drains(drain));
    status.allocated = sets.allocated.ranks();
    status.housekeeping = housekeeping_ranks(flux);
    return status;
}

std::optional<std::string> status_heading(std::string_view field) {
    for (const auto& [name, heading] : headings)
        if (name == field) return std::string{heading};
    return std::nullopt;
}

FieldValue status_field(const StatusLine& line, std::string_view field) {
    if (field == "state") return line.online ? line.state : line.state + "*";
    if (field == "statex") return line.state;
    if (field == "status") return line.online ? "online" : "offline";
    if (field == "up") return line.online ? "✔" : "✗";
    if (field == "up.ascii") return line.online ? "y" : "n";
    if (field == "color_up") return !line.colour ? "" : line.online ? "\033[01;32m" : "\033[01;31m";
    if (field == "color_off") return line.colour ? "\033[0;0m" : "";
    if (field == "nnodes") return static_cast<std::int64_t>(line.ranks.size());
    if (field == "ranks") return line.ranks.to_string();
    if (field == "nodelist") return line.hosts.to_string();
    if (field == "reason") return line.reason;
    if (field == "timestamp") return line.timestamp;
    return "";
}

std::vector<StatusLine> status_lines(const NodeStatus& status, const OutputFormat& format,
                                     const LineOptions& options) {
    const Shown shown{format};
    std::vector<StatusLine> lines;
    for (const std::string& state : options.states) {
        const std::size_t begin = lines.size();
        for (const std::uint32_t rank : status.in_state(state)) {
            StatusLine wanted;
            wanted.state = state;
            wanted.colour = options.colour;
            wanted.online = !shown.online || !status.offline.contains(rank);
            const bool drained_state = state.starts_with("drain");
            for (const NodeStatus::Drain& drain : status.drains) {
                if (!drained_state || !drain.ranks.contains(rank)) continue;
                if (shown.reason) wanted.reason = drain.reason;
                if (shown.timestamp) wanted.timestamp = drain.timestamp;
            }
            auto line = std::find_if(lines.begin() + static_cast<std::ptrdiff_t>(begin),
                                     lines.end(), [&](const StatusLine& known) {
                                         return known.online == wanted.online &&
                                                known.reason == wanted.reason &&
                                                known.timestamp == wanted.timestamp;
                                     });
            if (line == lines.end()) line = lines.insert(lines.end(), std::move(wanted));
            line->ranks.insert(rank);
            line->hosts.append(status.R.find(rank)->host);
        }
        if (lines.size() == begin && !options.skip_empty) {
            StatusLine empty;
            empty.state = state;
            empty.colour = options.colour;
            lines.push_back(std::move(empty));
        }
    }
    return lines;
}

}  // namespace sluice
