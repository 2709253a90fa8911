// The tree overlay: one socket that children connect to, one towards the parent (wire.md 1.6). It
// lets children in, notices who is gone, and moves messages between its sockets and the router.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "base/rfc/hostlist.hpp"
#include "broker/log/logger.hpp"
#include "broker/overlay/hello_fsm.hpp"
#include "broker/overlay/parent_finder.hpp"
#include "broker/overlay/peer_health.hpp"
#include "broker/overlay/topology.hpp"
#include "broker/overlay/zsocket.hpp"
#include "broker/router/router.hpp"

namespace sluice {

/// The clock of peers and hellos.
double monotonic_seconds();

class Overlay : public TbonLink {
  public:
    struct Options {
        Rank rank;
        Topology topology;
        Hostlist hosts;
        std::string uuid, hostname;
        std::int64_t version = 0;
        CurveKeys keys;
        int io_threads = 1, child_rcvhwm = 0, debug = 0;
        double tcp_user_timeout = 0, connect_timeout = 0;  // seconds
        double torpid_min = 5, torpid_max = 30;
        bool ipv6 = false;
    };
    struct Hooks {
        std::function<void()> joined;                      // the parent has let us in
        std::function<void(const Error&)> parent_lost;     // for good
        std::function<void()> children_changed;            // one came or went
        /// Ranks at and below a child that is gone, in order or not.
        std::function<void(const Idset& ranks, const std::string& reason)> ranks_lost;
        std::function<void()> health_changed;
        std::function<void(Rank child, bool torpid)> torpid_changed;
    };
    Overlay(boost::asio::io_context& io, Router& router, Logger& log, Options options);
    ~Overlay() override;

    void set_hooks(Hooks hooks) { hooks_ = std::move(hooks); }
    /// Opens the socket for children; the endpoint to tell them.
    Result<std::string> bind(const std::string& endpoint);
    /// Lets brokers with this public key in.
    void allow(const std::string& public_key) { context_.allow(public_key); }
    /// Names by rank, once they are known.
    void set_hosts(Hostlist hosts) { options_.hosts = std::move(hosts); }
    void set_parent(const std::string& endpoint, const std::string& public_key);
    /// Connects to the parent and says hello until it lets us in.
    void join();
    /// What keeps us from the parent, and the cure, while we have not joined.
    std::string parent_trouble() const;
    /// Leaves the parent in order; `done` when it knows, or is gone.
    void goodbye(std::function<void()> done);
    /// Ends the link to a child. Errors: ENOENT not a child of ours that is online.
    Result<void> disconnect_child(Rank child, const std::string& reason);
    /// Ends the link to the parent, as if it were lost.
    void disconnect_parent(const std::string& reason);

    /// Sees the messages of its links; control messages are not shown.
    TraceHook on_message;

    const Options& options() const { return options_; }
    const PeerTable& children() const { return children_; }
    JsonObject health() const;

    const std::string& uuid() const override { return options_.uuid; }
    const std::string& parent_uuid() const override { return parent_uuid_; }
    std::optional<Rank> child_toward(Rank target) const override;
    std::optional<std::string> child_uuid(Rank child) const override;
    bool is_child(std::string_view uuid) const override;
    Result<void> send_parent(const Message& message) override;
    Result<void> send_child(const Message& message) override;
    void send_children(const Message& event) override;

  private:
    void on_child_message(Message message, int connection);
    void on_child_event(const LinkEvent& event);
    void on_child_control(const std::string& uuid, const Message& message);
    void on_hello(Message message, int connection);
    void on_goodbye(const Message& message, Rank child);
    void on_parent_message(Message message);
    void on_parent_event(const LinkEvent& event);
    void perform(HelloAction action);
    void send_hello();
    void lose_child(Rank child, const std::string& reason);
    void probe(Rank child);
    void send_control(ZSocket& socket, const std::string& to, int type, int status);
    void status_changed(SubtreeStatus before);
    void respond(const Message& request, const JsonObject* payload, const Error* error);
    void log_once(const std::string& key, const std::string& text);
    void keep_alive();
    std::string peer_name(Rank rank) const;
    void trace(MessageTrace::Way way, std::int64_t rank, const Message& message) const {
        if (on_message) on_message({way, {}, rank, message});
    }
    std::int64_t parent_rank() const;

    boost::asio::io_context& io_;
    Router& router_;
    Logger& log_;
    Options options_;
    Hooks hooks_;
    ZContext context_;
    PeerTable children_;
    std::unique_ptr<ZSocket> child_socket_, parent_socket_;
    std::unique_ptr<ParentFinder> finder_;
    std::string parent_endpoint_, parent_key_, parent_uuid_;
    HelloFsm hello_;
    bool leaving_ = false, parent_connected_ = false;
    double sent_to_parent_ = 0;
    std::function<void()> goodbye_done_;
    std::set<std::string> logged_;
    boost::asio::steady_timer hello_timer_, keep_alive_timer_, probe_timer_;
};

}  // namespace sluice
