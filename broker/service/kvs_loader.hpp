// Operations on the KVS that may have to wait for blobs: tried at once, and again after each round
// of loading what was missing.
#pragma once

#include <memory>
#include <utility>

#include "broker/content/content.hpp"
#include "broker/kvs/kvs_blobs.hpp"

namespace sluice {

/// Loads what `blobs` has missed, then calls `done` (never at once).
template <class Done>
void load_missing(Content& content, std::shared_ptr<KvsBlobs> blobs, Done done) {
    struct Round {
        std::size_t left;
        Done done;
    };
    const std::vector<std::string> refs = blobs->take_missing();
    auto round = std::make_shared<Round>(Round{refs.size(), std::move(done)});
    for (const std::string& ref : refs)
        content.load(ref, [blobs, ref, round](const Result<Blob>& blob) {
            blobs->give(ref, blob);
            if (--round->left == 0) round->done();
        });
}

/// Calls `attempt(blobs)`; while blobs are missing afterwards, loads them and calls it again.
/// `attempt` acts (answers) only when none are.
template <class Attempt>
void with_blobs(Content& content, std::shared_ptr<KvsBlobs> blobs, Attempt attempt) {
    attempt(*blobs);
    if (!blobs->missing()) return;
    load_missing(content, blobs, [&content, blobs, attempt = std::move(attempt)] {
        with_blobs(content, blobs, attempt);
    });
}

}  // namespace sluice
