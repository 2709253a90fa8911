#include "broker/overlay/parent_finder.hpp"

#include <boost/asio/io_context.hpp>
#include <chrono>

#include "broker/overlay/zsocket.hpp"

namespace sluice {
namespace {

using namespace std::chrono_literals;

/// A name that appears must not wait for us; one that stays away must not keep its server busy.
constexpr auto eager_pause = 250ms, patient_pause = 1000ms;
constexpr int eager_tries = 240, quiet_tries = 4;

}  // namespace

ParentFinder::ParentFinder(boost::asio::io_context& io, ZSocket& socket,
                           std::function<void()> on_silence)
    : io_(io), socket_(socket), on_silence_(std::move(on_silence)), timer_(io) {}

Result<void> ParentFinder::start(const std::string& endpoint) {
    const auto named = NamedEndpoint::parse(endpoint);
    if (!named) return socket_.connect(endpoint);
    route_ = std::make_unique<ParentRoute>(named->port);
    lookup_ = std::make_unique<NameLookup>(
        io_, named->name,
        [this](const std::vector<std::string>& addresses) { on_addresses(addresses); });
    looking_ = true;
    look_up();
    return {};
}

void ParentFinder::look_up() {
    lookup_->ask();
    if (++tries_ > quiet_tries && !route_->has_address()) on_silence_();
    timer_.expires_after(tries_ < eager_tries ? eager_pause : patient_pause);
    timer_.async_wait([this](boost::system::error_code error) {
        if (!error) look_up();
    });
}

void ParentFinder::on_addresses(const std::vector<std::string>& addresses) {
    if (!looking_) return;
    if (addresses.empty() && !route_->has_address()) on_silence_();
    const auto change = route_->on_addresses(addresses);
    if (!change) return;
    if (!change->from.empty()) socket_.disconnect(change->from);
    // An address that the library cannot use is silent, like one that nobody answers at.
    if (!socket_.connect(change->to)) route_->on_silence();
}

void ParentFinder::on_connected() {
    if (!route_) return;
    route_->on_connected();
    looking_ = false;
    tries_ = 0;
    timer_.cancel();
}

void ParentFinder::on_lost() {
    if (!route_) return;
    route_->on_silence();
    if (looking_) return;
    looking_ = true;
    look_up();
}

}  // namespace sluice
