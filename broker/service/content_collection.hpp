// The collection of unreferenced blobs, one at a time, asked for by content-backing.gc: takes the
// roots of the KVS and has BlobCollector do the rest, between the commits of others. Rim.
#pragma once

#include <memory>
#include <vector>

#include "broker/content/blob_collector.hpp"
#include "broker/content/content.hpp"
#include "broker/context.hpp"
#include "broker/service/request.hpp"

namespace sluice {

class ContentCollection {
  public:
    ContentCollection(BrokerContext& context, Content& content)
        : context_(context), content_(content) {}

    /// Answers {epoch, high_water, checkpoints, namespaces, marked, reclaimed} when it is done. Who
    /// asks while one runs gets one of their own after it.
    void request(Request request);

  private:
    void begin();
    void take_roots(const CollectionHorizon& horizon);
    void go_on();
    void end(const Result<void>& result);

    BrokerContext& context_;
    Content& content_;
    std::vector<Request> waiting_, served_;
    std::shared_ptr<BlobCollector> collector_;
    CollectionHorizon horizon_;
    std::size_t namespaces_ = 0;
    bool running_ = false;
};

}  // namespace sluice
