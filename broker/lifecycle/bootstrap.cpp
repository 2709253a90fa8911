#include "broker/lifecycle/bootstrap.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "base/curve_cert.hpp"
#include "base/rfc/taskmap.hpp"
#include "broker/config/attributes.hpp"
#include "broker/lifecycle/bootstrap_plan.hpp"
#include "broker/overlay/interface.hpp"

namespace sluice {
namespace {

constexpr std::string_view default_methods = "config,simple,libpmi2,libpmi,single";

/// The methods to try, in order: the attribute's only one, those of the environment, or ours.
std::string method_list(const Attributes& attributes) {
    if (const auto given = attributes.find("broker.boot-method")) return *given;
    const char* variable = std::getenv("FLUX_PMI_CLIENT_METHODS");
    std::string methods = variable && *variable ? variable : std::string{default_methods};
    std::ranges::replace(methods, ' ', ',');
    return methods;
}

bool pmi_is_there() {
    return std::getenv("PMI_FD") && std::getenv("PMI_RANK") && std::getenv("PMI_SIZE");
}

/// -S tbon.topo, else -S tbon.fanout, else [tbon] topo, else the method's own.
Result<TopologyKind> wanted_topology(const Attributes& attributes, TopologyKind fallback) {
    const auto fanout = attributes.find("tbon.fanout");
    if (fanout && !attributes.set_by_command_line("tbon.topo"))
        return TopologyKind::parse("kary:" + *fanout);
    const auto topo = attributes.find("tbon.topo");
    return topo ? TopologyKind::parse(*topo) : fallback;
}

struct Card {
    std::string host, key, endpoint;
};

std::string encode_card(const Card& card) {
    JsonObject object{{"host", card.host}, {"pubkey", card.key}};
    JsonArray uris;
    if (!card.endpoint.empty()) uris.emplace_back(card.endpoint);
    object["uri"] = std::move(uris);
    return dump_json(object);
}

Result<Card> decode_card(std::string_view text) {
    SLUICE_TRY(const JsonObject object, parse_json_object(text));
    JsonReader in{object};
    Card card{.host = in.string("host"), .key = in.string("pubkey"), .endpoint = {}};
    const JsonArray& uris = in.array("uri");
    if (!in) return in.error();
    if (!uris.empty() && uris[0].is_string()) card.endpoint = uris[0].get_string();
    return card;
}

}  // namespace

Result<Bootstrapper> Bootstrapper::open(const Attributes& attributes, const JsonObject& config) {
    const std::string methods = method_list(attributes);
    const bool chosen = attributes.find("broker.boot-method").has_value();
    const Json* table = config.if_contains("bootstrap");
    SLUICE_TRY(const TopologyKind kind, wanted_topology(attributes, TopologyKind{}));
    Bootstrapper self;
    std::string_view rest = methods;
    while (!rest.empty()) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        const std::string_view method = rest.substr(0, comma);
        rest.remove_prefix(std::min(comma + 1, rest.size()));
        self.boot_.method = method;
        if (method == "config" && (table || chosen)) {
            if (!table || !table->is_object())
                return fail(EINVAL,
                            "boot-method config: the configuration has no [bootstrap] table");
            SLUICE_TRY(const TopologyKind own,
                       wanted_topology(attributes, {TopologyKind::Shape::custom, 0}));
            SLUICE_CHECK(self.from_config(table->get_object(), attributes, own));
            return self;
        }
        const bool is_library = method.starts_with("libpmi");
        if ((method == "simple" && (pmi_is_there() || chosen)) || is_library) {
            const auto done = self.from_pmi(method, kind);
            if (done) return self;
            // Most machines have no such library.
            if (!is_library || chosen)
                return done.error().in(fmt::format("boot-method {}", method));
            continue;
        }
        if (method == "single") {
            self.boot_.hosts.append(attributes.get_or("hostname", ""));
            self.boot_.topo = kind.to_string();
            self.boot_.mapping = "[[0,1,1,1]]";
            return self;
        }
        if (chosen && method != "config" && method != "simple")
            return fail(EINVAL,
                        "broker.boot-method: '{}' is none of config, simple, libpmi2, libpmi and "
                        "single", method);
    }
    return fail(ENOENT,
                "no boot method of '{}' works here; use config, simple, libpmi2, libpmi or single",
                methods);
}

Result<void> Bootstrapper::from_config(const JsonObject& table, const Attributes& attributes,
                                       TopologyKind kind) {
    SLUICE_TRY(const BootstrapPlan plan, BootstrapPlan::parse(table));
    const std::string hostname = attributes.get_or("hostname", "");
    boot_.topo = kind.to_string();
    boot_.ipv6 = plan.enable_ipv6;
    if (plan.hosts.empty()) {
        boot_.hosts.append(hostname);
        return {};
    }
    boot_.hosts = plan.hostlist();
    boot_.size = static_cast<std::uint32_t>(plan.hosts.size());
    SLUICE_TRY(boot_.rank, plan.rank_of(hostname));
    SLUICE_TRY(boot_.topology, plan.topology(kind));
    if (plan.curve_cert.empty()) {
        if (boot_.size == 1) return {};
        return fail(EINVAL, "bootstrap.curve_cert: not set; make one with flux keygen");
    }
    SLUICE_TRY(const CurveCert cert, CurveCert::load(plan.curve_cert));
    boot_.keys = cert.keys;
    boot_.allowed_keys = {cert.keys.public_key};
    boot_.parent_key = cert.keys.public_key;
    const HostPlan& own = plan.hosts[boot_.rank.value];
    if (boot_.has_children()) {
        if (own.bind.empty())
            return fail(EINVAL, "bootstrap: host {} has children but no bind; set default_bind",
                        own.host);
        boot_.bind = own.bind;
        boot_.endpoint = own.connect;
    }
    if (const auto parent = boot_.topology.parent(boot_.rank)) {
        const HostPlan& above = plan.hosts[parent->value];
        if (above.connect.empty())
            return fail(EINVAL, "bootstrap: parent {} has no connect; set default_connect",
                        above.host);
        boot_.parent_endpoint = above.connect;
    }
    return {};
}

Result<void> Bootstrapper::from_pmi(std::string_view method, TopologyKind kind) {
    SLUICE_TRY(pmi_, pmi::open_method(method));
    boot_.rank = Rank{pmi_->rank()};
    boot_.size = pmi_->size();
    boot_.topology = Topology(kind, boot_.size);
    boot_.topo = kind.to_string();
    if (const auto level = pmi_->get("flux.instance-level")) {
        std::from_chars(level->data(), level->data() + level->size(), boot_.instance_level);
        boot_.jobid = pmi_->name();
    }
    auto mapping = pmi_->get("flux.taskmap");
    if (!mapping) mapping = pmi_->get("PMI_process_mapping");
    if (mapping)
        if (const auto map = Taskmap::parse(*mapping)) boot_.mapping = map->to_string();
    if (const auto hint = pmi_->get("flux.tbon-interface-hint")) interface_hint_ = *hint;
    if (boot_.size > 1) boot_.keys = generate_curve_keys();
    return {};
}

Result<std::string> Bootstrapper::bind_endpoint(const Attributes& attributes,
                                                const std::string& rundir) const {
    if (!boot_.bind.empty() || !boot_.has_children()) return boot_.bind;
    const auto map =
        boot_.mapping ? Taskmap::parse(*boot_.mapping) : Result<Taskmap>{Error{ENOENT}};
    const bool one_node = map && map->node_count() == 1;
    if (one_node && attributes.integer_or("tbon.prefertcp", 0) == 0)
        return fmt::format("ipc://{}/tbon-{}", rundir, boot_.rank);
    std::string hint = attributes.get_or("tbon.interface-hint", "default-route");
    if (!interface_hint_.empty() && !attributes.set_by_command_line("tbon.interface-hint"))
        hint = interface_hint_;
    SLUICE_TRY(const std::string address, interface_address(hint));
    return fmt::format("tcp://{}:*", address);
}

Result<void> Bootstrapper::exchange(const std::string& hostname) {
    if (!pmi_) return {};
    if (boot_.size == 1) {
        boot_.hosts.append(hostname);
        return pmi_->finalize();
    }
    const Result<void> done = exchange_cards(hostname);
    return done ? done : done.error().in("boot-method " + boot_.method);
}

Result<void> Bootstrapper::exchange_cards(const std::string& hostname) {
    SLUICE_CHECK(pmi_->put(std::to_string(boot_.rank.value),
                           encode_card({hostname, boot_.keys.public_key, boot_.endpoint})));
    SLUICE_CHECK(pmi_->barrier());
    const auto parent = boot_.topology.parent(boot_.rank);
    for (std::uint32_t rank = 0; rank < boot_.size; ++rank) {
        SLUICE_TRY(const std::string text, pmi_->get(std::to_string(rank)));
        SLUICE_TRY(const Card card, decode_card(text));
        boot_.hosts.append(card.host);
        if (parent == Rank{rank}) {
            boot_.parent_endpoint = card.endpoint;
            boot_.parent_key = card.key;
        }
        if (boot_.topology.parent(Rank{rank}) == boot_.rank) boot_.allowed_keys.push_back(card.key);
    }
    SLUICE_CHECK(pmi_->barrier());
    return pmi_->finalize();
}

}  // namespace sluice
