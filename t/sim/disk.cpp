#include "t/sim/disk.hpp"

#include <filesystem>

#include "broker/content/sqlite_store_thread.hpp"
#include "t/sim/host.hpp"

namespace sluice {

namespace fs = std::filesystem;
using sim::world;

namespace {

struct Disk {
    sim::Tear tear = sim::Tear::none;
    double part = 0;
    bool full = false;
} disk;

constexpr std::int64_t room_pages = 1 << 20;

std::uintmax_t size_of(const std::string& path) {
    std::error_code error;
    const auto size = fs::file_size(path, error);
    return error ? 0 : size;
}

}  // namespace

class SqliteStore::Thread::Loop {
  public:
    Loop(const Options& options, Database database, Post post)
        : host_(sim::current_host()),
          path_(options.path),
          works(std::move(database), std::move(post)) {}
    ~Loop() {
        *alive_ = false;
        if (host_.crashing()) crash();
        else works.take(std::exchange(queue_, {}));
    }

    void push(StoreWork work) {
        const bool awaited = work.awaited;
        queue_.push_back(std::move(work));
        if (awaited) return works.take(std::exchange(queue_, {}));
        if (queue_.size() > 1) return;
        soon(world().rng.range(50, 5000) * sim::microsecond, &Loop::take);
    }

  private:
    void soon(sim::Time delay, void (Loop::*work)()) {
        host_.post(world().now() + delay, [this, alive = alive_, work] {
            if (*alive) (this->*work)();
        });
    }
    void take() {
        const auto limit = disk.full ? 1 : room_pages;
        (void)works.database().execute(fmt::format("PRAGMA max_page_count={}", limit).c_str());
        const bool stalled = works.stalled();
        works.take(std::exchange(queue_, {}));
        if (works.stalled() && !stalled) soon(250 * sim::millisecond, &Loop::retry);
    }
    void retry() {
        const auto limit = disk.full ? 1 : room_pages;
        (void)works.database().execute(fmt::format("PRAGMA max_page_count={}", limit).c_str());
        works.retry();
        if (works.stalled()) soon(250 * sim::millisecond, &Loop::retry);
    }

    void crash() {
        const std::string wal = path_ + "-wal";
        const auto before = size_of(wal);
        if (disk.tear != sim::Tear::none) write_queue();
        const auto after = size_of(wal);
        keep(path_);
        keep(wal);
        if (disk.tear == sim::Tear::torn && after > before)
            fs::resize_file(wal + ".kept", before + static_cast<std::uintmax_t>(
                                               static_cast<double>(after - before) * disk.part));
        host_.on_gone = [this_path = path_, &host = host_] {
            for (const char* suffix : {"", "-wal"}) {
                std::error_code error;
                fs::remove(this_path + suffix, error);
                fs::rename(this_path + suffix + ".kept", this_path + suffix, error);
            }
            std::error_code error;
            fs::remove(this_path + "-shm", error);
            host.on_gone = nullptr;
        };
        disk.tear = sim::Tear::none;
    }
    void write_queue() {
        Database& database = works.database();
        Result<void> done = database.execute("BEGIN IMMEDIATE");
        for (const StoreWork& work : queue_)
            if (done && work.batch) done = database.apply(*work.batch);
        if (disk.tear != sim::Tear::unsynced) (void)database.execute("COMMIT");
    }
    static void keep(const std::string& path) {
        std::error_code error;
        fs::copy_file(path, path + ".kept", fs::copy_options::overwrite_existing, error);
    }

    sim::Host& host_;
    std::string path_;
    const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
    std::vector<StoreWork> queue_;

  public:
    StoreWorks works;
};

SqliteStore::Thread::Thread(const Options& options, Database database, Post post)
    : loop_(std::make_unique<Loop>(options, std::move(database), std::move(post))) {}
SqliteStore::Thread::~Thread() = default;
void SqliteStore::Thread::push(StoreWork work) { loop_->push(std::move(work)); }
void SqliteStore::Thread::on_stalled(OnStalled on_stalled) {
    loop_->works.on_stalled(std::move(on_stalled));
}
void SqliteStore::Thread::post(std::function<void()> answer) {
    loop_->works.post(std::move(answer));
}

namespace sim {

void tear_next(Tear tear, double part) {
    disk.tear = tear;
    disk.part = part;
}

void fill_disk(bool full) { disk.full = full; }

void clear_disk() { disk = {}; }

void make_store(const std::string& folder) {
    const std::string model = fs::path{folder}.parent_path() / "model.sqlite";
    if (!fs::exists(model)) (void)Database::open(model, true);
    fs::copy_file(model, folder + "/content.sqlite", fs::copy_options::overwrite_existing);
    for (const char* suffix : {"-wal", "-shm"}) fs::remove(folder + "/content.sqlite" + suffix);
}

}  // namespace sim
}  // namespace sluice
