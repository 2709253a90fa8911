#include "shell/run/pmix_server.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <set>

#include "base/base64.hpp"
#include "base/paths.hpp"
#include "base/rfc/fluid.hpp"

namespace sluice::shell {
namespace {

constexpr const char* plugin_name = "flux-shell-pmix.so";
constexpr const char* all_tasks = "all";

std::string fence_name(const std::uint32_t* ranks, std::size_t count) {
    Idset set;
    for (std::size_t i = 0; i < count; ++i) set.insert(ranks[i]);
    return count == 0 ? all_tasks : set.to_string();
}

Result<pmi::KeyValues> decode_data(const JsonObject& payload) {
    JsonReader in{payload};
    const JsonObject& data = in.object("data");
    if (!in) return in.error();
    pmi::KeyValues values;
    for (const auto& [shell, text] : data) {
        if (!text.is_string()) return fail(EPROTO, "pmix-fence: data is not a string");
        SLUICE_TRY(values[shell], base64_decode(std::string_view{text.get_string()}));
    }
    return values;
}

JsonObject encode_data(const pmi::KeyValues& values) {
    JsonObject data;
    for (const auto& [shell, bytes] : values) data[shell] = base64_encode(bytes);
    return data;
}

/// The hosts' names, told apart where brokers share a host.
std::vector<std::string> node_names(const ResourceSet& resources) {
    std::set<std::string> seen;
    std::vector<std::string> names;
    for (const ResourceSet::Node& node : resources.nodes()) {
        std::string name = node.host;
        if (!seen.insert(name).second) name = fmt::format("{}-{}", node.host, node.rank);
        names.push_back(std::move(name));
    }
    return names;
}

}  // namespace

Result<void> PmixServer::start() {
    SLUICE_CHECK(load());
    return register_job();
}

Result<void> PmixServer::load() {
    const std::string path = helper_program(plugin_name);
    void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return fail(ENOENT, "pmi=pmix: {}; install it with libpmix, or use pmi=simple",
                    ::dlerror());
    using Entry = const PmixPlugin* (*)();
    const auto entry = reinterpret_cast<Entry>(::dlsym(library, pmix_plugin_symbol));
    if (!entry) return fail(ENOENT, "pmi=pmix: {}: {}", path, ::dlerror());
    plugin_ = entry();
    return {};
}

Result<void> PmixServer::register_job() {
    const TaskPlan& plan = parts_.plan;
    const std::string nspace = to_f58plain(parts_.info.id);
    const std::vector<std::string> names = node_names(parts_.info.resources);
    std::vector<std::uint32_t> node_of(plan.ntasks), local_rank_of(plan.ntasks);
    std::vector<const char*> name_pointers;
    std::string nodes, procs;
    for (std::uint32_t node = 0; node < names.size(); ++node) {
        name_pointers.push_back(names[node].c_str());
        nodes += (node > 0 ? "," : "") + names[node];
        if (node > 0) procs += ';';
        std::uint32_t local = 0;
        for (const Idset::Id rank : plan.taskmap.task_ids(node)) {
            if (local > 0) procs += ',';
            procs += std::to_string(rank);
            node_of[rank] = node;
            local_rank_of[rank] = local++;
        }
    }
    const PmixJob job{.nspace = nspace.c_str(),
                      .tmpdir = parts_.tmpdir.c_str(),
                      .nodes = nodes.c_str(),
                      .procs = procs.c_str(),
                      .node = name_pointers[parts_.info.shell_rank],
                      .ntasks = plan.ntasks,
                      .nnodes = parts_.info.nnodes,
                      .nlocal = static_cast<std::uint32_t>(plan.ranks.size()),
                      .node_of = node_of.data(),
                      .local_rank_of = local_rank_of.data(),
                      .local_ranks = plan.ranks.data(),
                      .node_names = name_pointers.data()};
    const PmixEvents shell = events();
    if (const char* problem = plugin_->start(&job, &shell))
        return fail(EIO, "pmi=pmix: {}", problem);
    return {};
}

/// Runs `work` on the shell's thread; libpmix calls from its own.
void PmixServer::post(std::function<void()> work) {
    boost::asio::post(parts_.handle.io(), std::move(work));
}

PmixEvents PmixServer::events() {
    PmixEvents events{};
    events.context = this;
    events.on_fence = [](void* context, std::uint64_t ticket, const std::uint32_t* ranks,
                         std::size_t count, const char* data, std::size_t size) {
        auto* self = static_cast<PmixServer*>(context);
        self->post([self, ticket, procs = fence_name(ranks, count),
                    bytes = std::string(data, size)] { self->enter(procs, ticket, bytes); });
    };
    events.on_modex = [](void* context, std::uint64_t ticket, std::uint32_t rank) {
        auto* self = static_cast<PmixServer*>(context);
        self->post([self, ticket, rank] { self->fetch(ticket, rank); });
    };
    events.on_data = [](void* context, std::uint64_t question, const char* data,
                        std::size_t size) {
        auto* self = static_cast<PmixServer*>(context);
        self->post([self, question, bytes = std::string(data ? data : "", size)] {
            self->on_data(question, bytes);
        });
    };
    events.on_abort = [](void* context, std::uint32_t rank, int status, const char* message) {
        auto* self = static_cast<PmixServer*>(context);
        self->post([self, rank, status, text = std::string(message)] {
            self->parts_.on_abort(fmt::format("PMIx_Abort: task {}: {}", rank,
                                              text.empty() ? "aborted" : text),
                                  status);
        });
    };
    events.on_connected = [](void* context, std::uint32_t rank) {
        auto* self = static_cast<PmixServer*>(context);
        self->post([self, rank] { self->parts_.on_connected(rank); });
    };
    return events;
}

Result<std::vector<std::string>> PmixServer::environment(std::uint32_t rank) const {
    std::vector<std::string> entries;
    const auto add = [](void* context, const char* entry) {
        static_cast<std::vector<std::string>*>(context)->emplace_back(entry);
    };
    if (!plugin_->environment(rank, add, &entries))
        return fail(EIO, "pmi=pmix: libpmix has no environment for task {}", rank);
    return entries;
}

/// The fence of these tasks; made when this shell first hears of it, from below or from its tasks.
Result<PmixServer::Fence*> PmixServer::fence(const std::string& procs) {
    if (const auto found = fences_.find(procs); found != fences_.end()) return &found->second;
    Fence fence;
    Idset wanted;
    if (procs != all_tasks) {
        SLUICE_TRY(wanted, Idset::parse(procs));
    }
    for (std::uint32_t shell = 0; shell < parts_.info.nnodes; ++shell) {
        const Idset tasks = parts_.plan.taskmap.task_ids(shell);
        if (procs == all_tasks ? !tasks.empty() : !(tasks & wanted).empty())
            fence.shells.push_back(shell);
    }
    const auto own = std::ranges::find(fence.shells, parts_.info.shell_rank);
    if (own == fence.shells.end())
        return fail(EINVAL, "pmix-fence: no task of shell {} in {}", parts_.info.shell_rank, procs);
    fence.exchange = std::make_unique<PmiExchange>(PmiExchange::Options{
        .shell_rank = static_cast<std::uint32_t>(own - fence.shells.begin()),
        .nnodes = static_cast<std::uint32_t>(fence.shells.size()),
        .fanout = parts_.options.exchange_fanout,
        .has_tasks = true});
    return &(fences_[procs] = std::move(fence));
}

void PmixServer::enter(const std::string& procs, std::uint64_t ticket, const std::string& data) {
    const auto found = fence(procs);
    if (!found || (*found)->entered) return plugin_->answer(ticket, false, nullptr, 0);
    (*found)->entered = true;
    (*found)->ticket = ticket;
    pmi::KeyValues own;
    own[std::to_string(parts_.info.shell_rank)] = data;
    step(procs, (*found)->exchange->on_local(own));
}

void PmixServer::on_fence_request(const Message& request) {
    const auto payload = parse_json_object(request.text());
    const auto data = payload ? decode_data(*payload) : Result<pmi::KeyValues>{payload.error()};
    if (!data) return parts_.handle.send_message(Message::response(request, EPROTO));
    const std::string procs = JsonReader{*payload}.string_or("procs", "");
    const auto found = fence(procs);
    if (!found) return parts_.handle.send_message(Message::response(request, EINVAL));
    (*found)->below.push_back(request);
    step(procs, (*found)->exchange->on_child(*data));
}

void PmixServer::step(const std::string& procs, const PmiExchange::Step& step) {
    if (step.to_parent) send_up(procs, *step.to_parent);
    if (step.to_children) finish(procs, &*step.to_children);
}

void PmixServer::send_up(const std::string& procs, const pmi::KeyValues& data) {
    const Fence& fence = fences_.at(procs);
    JsonObject payload;
    payload["procs"] = procs;
    payload["data"] = encode_data(data);
    const std::uint32_t shell = fence.shells[*fence.exchange->parent()];
    parts_.handle.send(parts_.info.service() + ".pmix-fence", payload,
                       {.nodeid = parts_.info.broker_rank(shell)},
                       [this, procs](const Reply& reply) {
                           const auto answer = reply.json();
                           const auto all = answer ? decode_data(*answer)
                                                   : Result<pmi::KeyValues>{answer.error()};
                           finish(procs, all ? &*all : nullptr);
                       });
}

/// The data of all shells is here, or will not come (nullptr).
void PmixServer::finish(const std::string& procs, const pmi::KeyValues* data) {
    const auto node = fences_.extract(procs);
    if (node.empty()) return;
    const Fence& fence = node.mapped();
    JsonObject payload;
    if (data) payload["data"] = encode_data(*data);
    for (const Message& request : fence.below) {
        Message response = Message::response(request, data ? 0 : EIO);
        if (data) response.set_json(payload);
        parts_.handle.send_message(response);
    }
    std::string bytes;
    if (data)
        for (const auto& [shell, part] : *data) bytes += part;
    plugin_->answer(fence.ticket, data != nullptr, bytes.data(), bytes.size());
}

void PmixServer::fetch(std::uint64_t ticket, std::uint32_t rank) {
    const auto shell = parts_.plan.taskmap.nodeid(rank);
    if (!shell) return plugin_->answer(ticket, false, nullptr, 0);
    parts_.handle.send(parts_.info.service() + ".pmix-modex", JsonObject{{"rank", rank}},
                       {.nodeid = parts_.info.broker_rank(*shell)},
                       [this, ticket](const Reply& reply) {
                           const auto answer = reply.json();
                           const auto bytes =
                               answer ? base64_decode(JsonReader{*answer}.string_or("data", ""))
                                      : Result<std::string>{answer.error()};
                           if (!bytes) return plugin_->answer(ticket, false, nullptr, 0);
                           plugin_->answer(ticket, true, bytes->data(), bytes->size());
                       });
}

void PmixServer::on_modex_request(const Message& request) {
    const auto payload = parse_json_object(request.text());
    const std::int64_t rank = payload ? JsonReader{*payload}.integer_or("rank", -1) : -1;
    if (rank < 0) return parts_.handle.send_message(Message::response(request, EPROTO));
    questions_.emplace(next_question_, request);
    plugin_->ask(next_question_++, static_cast<std::uint32_t>(rank));
}

void PmixServer::on_data(std::uint64_t question, const std::string& data) {
    const auto found = questions_.extract(question);
    if (found.empty()) return;
    Message response = Message::response(found.mapped());
    response.set_json(JsonObject{{"data", base64_encode(data)}});
    parts_.handle.send_message(response);
}

}  // namespace sluice::shell
