#include "resource/match/node_groups.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/rfc/group_types.hpp"

namespace sluice {
namespace {

/// A group and what its nodes offer.
struct Total {
    std::uint32_t group;
    std::uint64_t units;
};

/// Those that offer anything; nodes without a group are the last.
std::vector<Total> totals_of(const NodeGroups::View& view, std::span<const NodeUnits> offers) {
    std::vector<Total> totals(view.count + 1);
    for (std::uint32_t group = 0; group <= view.count; ++group) totals[group] = {group, 0};
    for (const NodeUnits& offer : offers) totals[view.of_node[offer.node]].units += offer.units;
    std::erase_if(totals, [](const Total& total) { return total.units == 0; });
    return totals;
}

/// Takes from each group up to its quota.
std::vector<NodeUnits> take_quotas(const NodeGroups::View& view, std::span<const NodeUnits> offers,
                                   std::vector<std::uint64_t> quotas) {
    std::vector<NodeUnits> taken;
    for (const NodeUnits& offer : offers) {
        std::uint64_t& quota = quotas[view.of_node[offer.node]];
        const std::uint64_t units = std::min(quota, offer.units);
        if (units == 0) continue;
        taken.push_back({offer.node, units});
        quota -= units;
    }
    return taken;
}

}  // namespace

GroupRequest group_request_of(const JsonObject& jobspec) {
    const Json* resources = jobspec.if_contains("resources");
    if (!resources || !resources->is_array() || resources->get_array().size() != 1) return {};
    const Json& top = resources->get_array().front();
    const Json* type = find_path(top, "type");
    const Json* count = find_path(top, "count");
    if (!type || !type->is_string() || !count || !is_group_type(type->get_string())) return {};
    const auto number = as_integer(*count);
    return {std::string{type->get_string()}, number ? static_cast<std::uint32_t>(*number) : 1};
}

NodeGroups::NodeGroups(const SiteTopology& topology, const Inventory& inventory) {
    std::unordered_map<std::string_view, std::size_t> node_of_host;
    for (std::size_t node = 0; node < inventory.node_count(); ++node)
        node_of_host.try_emplace(inventory.host(node), node);
    constexpr std::uint32_t none = 0xFFFFFFFFu;
    for (const TopologyGroup& group : topology) {
        auto view = std::ranges::find(views_, group.type, &View::type);
        if (view == views_.end()) {
            views_.push_back({group.type, {}, 0});
            view = std::prev(views_.end());
            view->of_node.assign(inventory.node_count(), none);
        }
        for (const std::string& host : group.hosts.hosts())
            if (const auto found = node_of_host.find(host); found != node_of_host.end())
                view->of_node[found->second] = view->count;
        ++view->count;
    }
    for (View& view : views_) std::ranges::replace(view.of_node, none, view.count);
}

const NodeGroups::View* NodeGroups::find(std::string_view type) const {
    const auto found = std::ranges::find(views_, type, &View::type);
    return found == views_.end() ? nullptr : &*found;
}

const NodeGroups::View* NodeGroups::default_view() const {
    for (const std::string_view type : {"switch", "rack"})
        if (const View* view = find(type)) return view;
    return views_.empty() ? nullptr : &views_.front();
}

std::optional<std::vector<NodeUnits>> take_together(const NodeGroups::View& view,
                                                    std::span<const NodeUnits> offers,
                                                    std::uint64_t wanted) {
    std::vector<Total> totals = totals_of(view, offers);
    std::ranges::stable_sort(totals, {}, &Total::units);
    std::vector<std::uint64_t> quotas(view.count + 1);
    std::uint64_t missing = wanted;
    while (missing) {
        if (totals.empty()) return std::nullopt;
        auto group = std::ranges::lower_bound(totals, missing, {}, &Total::units);
        if (group == totals.end()) --group;  // none has all: the largest
        const std::uint64_t units = std::min(missing, group->units);
        quotas[group->group] = units;
        missing -= units;
        totals.erase(group);
    }
    return take_quotas(view, offers, std::move(quotas));
}

std::optional<std::vector<NodeUnits>> take_apart(const NodeGroups::View& view,
                                                 std::span<const NodeUnits> offers,
                                                 std::uint64_t wanted, std::uint32_t groups) {
    const std::uint64_t part = wanted / groups;
    std::vector<Total> totals = totals_of(view, offers);
    std::erase_if(totals, [&](const Total& total) {
        return total.units < part || total.group == view.count;
    });
    if (totals.size() < groups) return std::nullopt;
    std::ranges::stable_sort(totals, {}, &Total::units);
    std::vector<std::uint64_t> quotas(view.count + 1);
    for (std::uint32_t i = 0; i < groups; ++i) quotas[totals[i].group] = part;
    return take_quotas(view, offers, std::move(quotas));
}

}  // namespace sluice
