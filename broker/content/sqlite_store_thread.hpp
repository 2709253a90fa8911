// The thread behind SqliteStore.
#pragma once

#include <memory>

#include "broker/content/sqlite_store_works.hpp"

namespace sluice {

class SqliteStore::Thread {
  public:
    Thread(const Options& options, Database database, Post post);
    /// Does what is queued, then ends.
    ~Thread();
    void push(StoreWork work);
    /// The two below are for what the thread does.
    void on_stalled(OnStalled on_stalled);
    void post(std::function<void()> answer);

  private:
    class Loop;
    std::unique_ptr<Loop> loop_;
};

}  // namespace sluice
