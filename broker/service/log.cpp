// The log of this broker (log.*): lines of clients and, on rank 0, those that followers forward;
// the ring buffer for flux dmesg. Payloads are bare lines: without NUL in append, with one in
// dmesg.
#include "base/log_line.hpp"
#include "broker/config/attributes.hpp"
#include "broker/context.hpp"
#include "broker/log/logger.hpp"
#include "broker/parts.hpp"
#include "broker/router/rpc_client.hpp"
#include "broker/service/service.hpp"
#include "broker/service/streams.hpp"

namespace sluice {
namespace {

class LogService : public RpcService<LogService> {
  public:
    static const RpcTable<LogService> rpcs;

    explicit LogService(BrokerContext& context)
        : RpcService(context.router, "log"),
          logger_(context.log),
          attributes_(context.attributes),
          client_(context.router) {
        logger_.set_rank(context.rank.value);
        logger_.set_listener([this](const std::string& line) { to_followers(line); });
        if (context.rank.value != 0)
            logger_.set_forward([this](const LogLine& line) { forward(line); });
        attributes_.watch("log-", [this](const std::string& name, const std::string& value) {
            (void)logger_.set(name, value);
        });
    }
    ~LogService() override {
        logger_.set_listener({});
        logger_.set_forward({});
    }

  private:
    /// Nobody waits for an answer: clients send it with matchtag 0, and none is sent.
    void append(Request request, const JsonObject&) {
        const auto line = parse_log_line(request.message().text());
        if (!line) return;
        // A line of another rank has been kept and shown there as its settings say.
        if (line->rank == router().rank().value)
            logger_.append(*line);
        else
            logger_.append_forwarded(*line);
    }

    void forward(const LogLine& line) {
        Message request = Message::request("log.append", 0);
        request.flags |= message_flag::noresponse;
        request.set_bytes(format_log_line(line));
        client_.call(std::move(request), {});
    }

    void dmesg(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const bool follow = in.boolean("follow");
        const bool nobacklog = in.boolean_or("nobacklog", false);
        if (!in) return request.fail(in.error());
        if (!request.streaming())
            return request.fail(
                sluice::fail(EPROTO, "log.dmesg: the request must have the STREAMING flag"));
        if (!nobacklog)
            for (const std::string& line : logger_.ring().lines()) request.respond_text(line);
        if (!follow) return request.end_stream();
        followers_.add(std::move(request));
    }

    void to_followers(const std::string& line) {
        for (const auto& entry : followers_.entries()) entry.request.respond_text(line);
    }

    void cancel(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const std::int64_t matchtag = in.integer("matchtag");
        if (in) followers_.cancel(request, matchtag);
    }

    void clear(Request request, const JsonObject&) {
        logger_.ring().clear();
        request.respond();
    }

    void set_attribute(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const std::string name = in.string("name");
        const std::string value = in.string("value");
        if (!in) return request.fail(in.error());
        const Result<void> done = logger_.set(name, value);
        if (done) attributes_.set(name, value);
        request.respond(done);
    }

    void on_disconnect(const Request& request) override { followers_.disconnect(request.sender()); }

    JsonObject stats() const override {
        const auto& [local, remote] = logger_.counts();
        return {{"ring-used", logger_.ring().lines().size()},
                {"count", local + remote},
                {"local", local},
                {"remote", remote}};
    }

    Logger& logger_;
    Attributes& attributes_;
    RpcClient client_;
    struct Follower {};
    Streams<Follower> followers_;
};

const RpcTable<LogService> LogService::rpcs{
    {"append", Caller::owner, Body::raw, &LogService::append},
    {"dmesg", Caller::owner, Body::json, &LogService::dmesg},
    {"cancel", Caller::owner, Body::json, &LogService::cancel},
    {"clear", Caller::owner, Body::none, &LogService::clear},
    {"setattr", Caller::owner, Body::json, &LogService::set_attribute},
};

Result<void> apply_attributes(Logger& logger, const Attributes& attributes) {
    for (const std::string& name : attributes.names()) {
        if (!name.starts_with("log-")) continue;
        if (const auto value = attributes.find(name)) SLUICE_CHECK(logger.set(name, *value));
    }
    return {};
}

}  // namespace

Result<Part> make_log(BrokerContext& context) {
    SLUICE_CHECK(apply_attributes(context.log, context.attributes));
    return Part{std::make_shared<LogService>(context)};
}

}  // namespace sluice
