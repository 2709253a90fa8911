#include "broker/service/content_collection.hpp"

#include "broker/kvs/kvs_tree.hpp"
#include "broker/log/logger.hpp"
#include "broker/service/kvs_commits.hpp"

namespace sluice {

void ContentCollection::request(Request request) {
    waiting_.push_back(std::move(request));
    if (!running_) begin();
}

void ContentCollection::begin() {
    running_ = true;
    served_ = std::exchange(waiting_, {});
    content_.cache().next_epoch();
    content_.backing().next_epoch([this](const Result<CollectionHorizon>& horizon) {
        if (!horizon) return end(horizon.error());
        take_roots(*horizon);
    });
}

/// All of their trees must be in the store before they are walked there.
void ContentCollection::take_roots(const CollectionHorizon& horizon) {
    horizon_ = horizon;
    namespaces_ = 0;
    std::vector<std::string> roots;
    if (context_.kvs) {
        for (const auto& [name, state] : context_.kvs->namespaces().all()) {
            kvs_tree::pin_tree(state.rootref(), content_.cache());
            roots.push_back(state.rootref());
        }
        namespaces_ = roots.size() - 1;  // one is primary
    }
    collector_ = std::make_shared<BlobCollector>(horizon, std::move(roots));
    content_.flush([this](const Result<void>& done) {
        if (!done) return end(done.error());
        go_on();
    });
}

void ContentCollection::go_on() {
    content_.backing().collect(collector_, [this](const Result<bool>& done) {
        if (!done) return end(done.error());
        if (!*done) return go_on();
        context_.log.info("content", "{} blobs collected, {} marked", collector_->reclaimed(),
                          collector_->marked());
        end({});
    });
}

void ContentCollection::end(const Result<void>& result) {
    for (const Request& request : std::exchange(served_, {})) {
        if (!result) {
            request.fail(result.error());
            continue;
        }
        request.respond({{"epoch", horizon_.epoch},
                         {"high_water", horizon_.high_water},
                         {"checkpoints", collector_->checkpoint_count()},
                         {"namespaces", namespaces_},
                         {"marked", collector_->marked()},
                         {"reclaimed", collector_->reclaimed()}});
    }
    collector_.reset();
    running_ = false;
    if (!waiting_.empty()) begin();
}

}  // namespace sluice
