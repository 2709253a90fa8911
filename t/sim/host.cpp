#include "t/sim/host.hpp"

#include "t/sim/node.hpp"

namespace sluice::sim {
namespace {

Host* current = nullptr;

}  // namespace

Host& current_host() { return *current; }

Host::Host(std::uint32_t rank, std::string folder) : rank_(rank), folder_(std::move(folder)) {}

Host::~Host() {
    crashing_ = true;
    current = this;
    if (node_) end(-1);
    current = nullptr;
}

void Host::post(Time when, std::function<void()> work) {
    world().at(when, [this, life = life_, work = std::move(work)]() mutable {
        if (life != life_ || !node_) return;
        if (frozen_until_ > world().now()) return post(frozen_until_, std::move(work));
        run(work);
    });
}

void Host::run(const std::function<void()>& work) {
    current = this;
    work();
    turn();
    current = nullptr;
}

/// Lets the broker do all that it can do now, and notes when its next timer is due.
void Host::turn() {
    const int wait = node_->turn();
    if (node_->stopped()) return end(world().rng.range(1 * second, 3 * second));
    const Time when = world().now() + wait * millisecond;
    if (wake_at_ >= 0 && wake_at_ <= when) return;  // it will look again then
    wake_at_ = when;
    wake();
}

/// Turns the broker at `wake_at_`, unless an earlier time was noted after this one.
void Host::wake() {
    world().at(wake_at_, [this, when = wake_at_, life = life_] {
        if (when != wake_at_ || life != life_ || !node_) return;
        wake_at_ = -1;
        if (frozen_until_ > when) return post(frozen_until_, [] {});
        run([] {});
    });
}

void Host::start(std::function<std::unique_ptr<Node>(Host&)> make) {
    make_ = std::move(make);
    ++life_;
    wake_at_ = -1;
    frozen_until_ = 0;
    current = this;
    world().note(fmt::format("rank {} starts", rank_));
    node_ = make_(*this);
    if (node_) turn();
    current = nullptr;
}

void Host::crash(Time down) {
    if (!node_) return;
    crashing_ = true;
    current = this;
    end(down);
    current = nullptr;
    crashing_ = false;
}

void Host::end(Time down) {
    world().note(fmt::format("rank {} {}", rank_, crashing_ ? "crashes" : "ends by itself"));
    ++life_;
    node_.reset();
    kill_zygote = nullptr;
    if (on_gone) on_gone();
    if (down < 0) return;
    world().after(down, [this] {
        if (!node_) start(make_);
    });
}

}  // namespace sluice::sim
