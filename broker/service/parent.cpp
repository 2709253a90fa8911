// An instance that is a job of another one: takes its R from there and follows it, and tells the
// parent where it can be reached and which of its nodes it cannot lose (wire.md 4.4). Rank 0.
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>

#include "base/rfc/fluid.hpp"
#include "base/rfc/taskmap.hpp"
#include "base/rpc/handle.hpp"
#include "base/rpc/local_socket.hpp"
#include "broker/config/attributes.hpp"
#include "broker/context.hpp"
#include "broker/log/logger.hpp"
#include "broker/parts.hpp"
#include "broker/resource_hub.hpp"
#include "broker/router/rpc_client.hpp"
#include "resource/resource_config.hpp"

namespace sluice {
namespace {

/// Later the instance looks for its resources itself.
constexpr std::chrono::seconds answer_max{30};

Result<ResourceSet> read_R(const JsonObject& reply) {
    JsonReader in{reply};
    const JsonObject& R = in.object("R");
    if (!in) return in.error();
    return ResourceSet::from_json(R);
}

/// The shell option cpu-affinity in the answer about a job's jobspec; empty where it has none.
std::string cpu_affinity(const JsonObject& reply) {
    JsonReader in{reply};
    const std::string text = in.string_or("jobspec", "");
    const auto jobspec = parse_json_object(text);
    const Json* option = jobspec ? find_path(*jobspec, "attributes.system.shell.options."
                                                       "cpu-affinity")
                                 : nullptr;
    return option && option->is_string() ? std::string{option->get_string()} : std::string{};
}

/// The nodes of the parent's job that hold critical brokers, by the place of each broker.
Result<std::string> critical_nodes(const Attributes& attributes) {
    SLUICE_TRY(const Taskmap map, Taskmap::parse(attributes.get_or("broker.mapping", "[]")));
    SLUICE_TRY(const Idset ranks, Idset::parse(attributes.get_or("broker.critical-ranks", "")));
    Idset nodes;
    for (const Idset::Id rank : ranks.to_vector()) {
        SLUICE_TRY(const std::uint32_t node, map.nodeid(rank));
        nodes.insert(node);
    }
    return nodes.to_string();
}

class Parent {
  public:
    Parent(BrokerContext& context, JobId id) : context_(context), rpc_(context.router), id_(id) {}

    /// Waits for R; the rest goes its way. What fails is logged: the instance can do without.
    void start(const std::string& uri) {
        const auto connected = connect(uri);
        if (!connected)
            return context_.log.err("parent", "{}: {}", uri, connected.error().text());
        ask_affinity();
        announce();
        boost::asio::steady_timer limit{flux_->io(), answer_max};
        bool expired = false;
        limit.async_wait([&expired](const boost::system::error_code& error) {
            if (!error) expired = true;
        });
        (void)flux_->run_until([&] { return asked_ || expired; });
        if (expired) context_.log.err("parent", "{}: no R within {} s", uri, answer_max.count());
        limit.cancel();
        flux_->io().poll();  // the timer's handler refers to what ends here
        if (flux_->connected()) wait_readable();
    }

  private:
    Result<void> connect(const std::string& uri) {
        SLUICE_TRY(const std::string path, local_socket_path(uri));
        SLUICE_TRY(const int socket, connect_to_broker(path));
        // The handle has a loop of its own; a second descriptor tells ours when to turn it.
        readable_.emplace(context_.io, ::dup(socket));
        flux_.emplace(Handle::adopt(socket));
        return {};
    }

    /// Whether we are bound to the job's cores decides what numbers they have here: R waits for it.
    void ask_affinity() {
        const JsonObject query{{"id", id_.value}, {"keys", JsonArray{"jobspec"}}, {"flags", 0}};
        flux_->send("job-info.lookup", query, {}, [this](const Reply& reply) {
            if (const auto payload = reply.json()) affinity_ = cpu_affinity(*payload);
            ask_R();
        });
    }

    void ask_R() {
        const JsonObject query{{"id", id_.value}, {"key", "R"}, {"flags", 0}};
        flux_->send("job-info.update-watch", query, {.streaming = true},
                    [this](const Reply& reply) { on_R(reply); });
    }

    void on_R(const Reply& reply) {
        const auto payload = reply.json();
        const auto R = payload ? read_R(*payload) : Result<ResourceSet>{payload.error()};
        if (!R) {
            if (!asked_) context_.log.err("parent", "R of the job: {}", R.error().text());
        } else if (!context_.resources->parent) {
            context_.resources->parent = seen_from_inside(*R, affinity_);
        } else if (R->expiration != context_.resources->parent->expiration) {
            context_.resources->parent = seen_from_inside(*R, affinity_);
            rpc_.call("resource.expiration-update", {{"expiration", R->expiration}}, {},
                      [this](const Reply& done) {
                          if (!done.ok())
                              context_.log.err("parent", "expiration: {}", done.error().text());
                      });
        }
        asked_ = true;
    }

    void announce() {
        const std::string path =
            context_.attributes.get_or("local-uri", "").substr(std::string_view{"local://"}.size());
        const JsonObject memo{{"uri", fmt::format("ssh://{}{}", context_.hostname, path)}};
        send("job-manager.memo", {{"id", id_.value}, {"memo", memo}});
        const auto nodes = critical_nodes(context_.attributes);
        if (nodes)
            send("job-exec.critical-ranks", {{"id", id_.value}, {"ranks", *nodes}});
        else
            context_.log.err("parent", "critical ranks: {}; all are", nodes.error().text());
    }

    void send(const std::string& topic, const JsonObject& payload) {
        flux_->send(topic, payload, {}, [this, topic](const Reply& reply) {
            if (!reply.ok()) context_.log.err("parent", "{}: {}", topic, reply.error().text());
        });
    }

    void wait_readable() {
        readable_->async_wait(boost::asio::posix::stream_descriptor::wait_read,
                              [this](const boost::system::error_code& error) {
                                  if (error) return;
                                  flux_->io().restart();
                                  flux_->io().poll();
                                  if (flux_->connected()) wait_readable();
                              });
    }

    BrokerContext& context_;
    RpcClient rpc_;
    JobId id_;
    std::optional<Handle> flux_;
    std::optional<boost::asio::posix::stream_descriptor> readable_;
    bool asked_ = false;
    std::string affinity_;  // the job's shell option cpu-affinity; empty: the default
};

}  // namespace

Result<Part> make_parent(BrokerContext& context) {
    const auto jobid = context.attributes.find("jobid");
    const auto uri = context.attributes.find("parent-uri");
    if (!jobid || !uri) return Part{};
    const auto id = fluid_decode(*jobid);
    if (!id) return fail(EINVAL, "attribute jobid: '{}' is no job id", *jobid);
    auto parent = std::make_shared<Parent>(context, *id);
    context.rc1_steps.push_back({"parent", [parent = parent.get(), uri = *uri](auto done) {
                                     parent->start(uri);
                                     done({});
                                 }});
    return Part{std::move(parent)};
}

}  // namespace sluice
