#include "broker/content/sqlite_store_thread.hpp"

#include <chrono>
#include <thread>

#include "base/aio/thread_port.hpp"

namespace sluice {
namespace {

constexpr std::size_t queue_items_max = 65536;
constexpr std::chrono::milliseconds retry_after{250};  // of commits, when the disk is full

}  // namespace

class SqliteStore::Thread::Loop {
  public:
    Loop(Database database, Post post)
        : works(std::move(database), std::move(post)), thread_([this] { run(); }) {}
    ~Loop() {
        StoreWork last;
        last.ask = [this](Database&) { ended_ = true; };
        port.push(std::move(last));
        thread_.join();
    }

    StoreWorks works;
    ThreadPort<StoreWork> port{queue_items_max};

  private:
    void run() {
        while (!ended_) {
            auto taken = works.stalled() ? port.take_all_within(retry_after) : port.take_all();
            const auto now = std::chrono::steady_clock::now();
            if (works.stalled() && now >= next_retry_) {
                works.retry();
                next_retry_ = now + retry_after;
            }
            works.take(std::move(taken));
        }
    }

    bool ended_ = false;
    std::chrono::steady_clock::time_point next_retry_{};
    std::jthread thread_;
};

SqliteStore::Thread::Thread(const Options&, Database database, Post post)
    : loop_(std::make_unique<Loop>(std::move(database), std::move(post))) {}
SqliteStore::Thread::~Thread() = default;
void SqliteStore::Thread::push(StoreWork work) { loop_->port.push(std::move(work)); }
void SqliteStore::Thread::on_stalled(OnStalled on_stalled) {
    loop_->works.on_stalled(std::move(on_stalled));
}
void SqliteStore::Thread::post(std::function<void()> answer) {
    loop_->works.post(std::move(answer));
}

}  // namespace sluice
