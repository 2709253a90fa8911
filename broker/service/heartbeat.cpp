// heartbeat.* - rank 0 publishes heartbeat.pulse; the others give their parent up when it stays
// away for longer than heartbeat.timeout (wire.md 2.12).
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cmath>

#include "base/rfc/fsd.hpp"
#include "broker/config/config_store.hpp"
#include "broker/context.hpp"
#include "broker/lifecycle/lifecycle.hpp"
#include "broker/parts.hpp"
#include "broker/router/rpc_client.hpp"
#include "broker/service/service.hpp"

namespace sluice {
namespace {

constexpr double period_default = 2, timeout_default = 300;  // seconds
constexpr std::int64_t warn_threshold_default = 3;           // pulses

class HeartbeatService : public RpcService<HeartbeatService> {
  public:
    static const RpcTable<HeartbeatService> rpcs;

    explicit HeartbeatService(BrokerContext& context)
        : RpcService(context.router, "heartbeat"),
          context_(context),
          rpc_(context.router),
          timer_(context.io) {
        configure();
        context.config.add_watcher([this](const JsonObject&) { configure(); });
        rpc_.subscribe("heartbeat.pulse", [this](const Message&) { on_pulse(); });
        last_ = std::chrono::steady_clock::now();
        arm();
    }

  private:
    double seconds(const char* key, double fallback) const {
        const Json* value = context_.config.find(key);
        if (!value || !value->is_string()) return fallback;
        return fsd_parse(std::string_view{value->get_string()}).value_or(fallback);
    }

    void configure() {
        period_ = seconds("heartbeat.period", period_default);
        timeout_ = seconds("heartbeat.timeout", timeout_default);
        const Json* warn = context_.config.find("heartbeat.warn_thresh");
        warn_ = warn ? as_integer(*warn).value_or(warn_threshold_default) : warn_threshold_default;
    }

    void on_pulse() {
        ++count_;
        warned_ = false;
        last_ = std::chrono::steady_clock::now();
    }

    void arm() {
        timer_.expires_after(std::chrono::duration_cast<std::chrono::nanoseconds>(
            std::chrono::duration<double>(std::max(period_, 0.01))));
        timer_.async_wait([this](boost::system::error_code error) {
            if (error) return;
            if (context_.rank.value == 0)
                rpc_.publish("heartbeat.pulse", {});
            else
                check_silence();
            arm();
        });
    }

    void check_silence() {
        const double silence =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - last_).count();
        if (warn_ > 0 && silence > period_ * static_cast<double>(warn_) &&
            !std::exchange(warned_, true))
            context_.log.err("heartbeat", "no heartbeat for {}", fsd_format(silence));
        if (timeout_ <= 0 || std::isinf(timeout_) || silence < timeout_) return;
        context_.lifecycle->parent_lost(
            fail(EHOSTUNREACH, "no heartbeat for {}, heartbeat.timeout is {}; leaving",
                 fsd_format(silence), fsd_format(timeout_)));
    }

    JsonObject stats() const override {
        return {
            {"period", period_}, {"timeout", timeout_}, {"count", count_}, {"warn_thresh", warn_}};
    }

    BrokerContext& context_;
    RpcClient rpc_;
    boost::asio::steady_timer timer_;
    double period_ = period_default, timeout_ = timeout_default;
    std::int64_t warn_ = warn_threshold_default, count_ = 0;
    bool warned_ = false;
    std::chrono::steady_clock::time_point last_;
};

const RpcTable<HeartbeatService> HeartbeatService::rpcs{};

}  // namespace

Result<Part> make_heartbeat(BrokerContext& context) {
    return Part{std::make_shared<HeartbeatService>(context)};
}

}  // namespace sluice
