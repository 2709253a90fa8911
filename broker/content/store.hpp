// What rank 0 keeps beyond its memory, jobs and blobs: one transaction holds all that a reactor
// turn changed. The database itself is behind SqliteStore.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/strong_id.hpp"

namespace sluice {

/// Shared, so that a blob on its way to the disk is not copied.
using Blob = std::shared_ptr<const std::string>;
struct StoredBlob {
    std::string blobref;
    Blob bytes;
};

/// The changes of one turn, applied whole or not at all, in the order of the members.
struct StoreBatch {
    struct NewJob {
        JobId id;
        UserId userid;
        std::string jobspec;  // as submitted, with its environment
        std::string updates;  // JSON of policy defaults
    };
    struct Append {
        JobId id;
        std::string path;     // "eventlog", "guest.output", …
        std::string data;     // whole lines
    };
    std::vector<NewJob> jobs;
    std::vector<Append> appends;
    std::vector<std::pair<JobId, std::string>> resources;  // R of a job
    std::vector<std::pair<JobId, std::string>> rows;       // row of a job that became inactive
    std::vector<JobId> purges;
    std::vector<std::pair<std::string, std::string>> meta;
    std::vector<StoredBlob> blobs;
    struct NewCheckpoint {
        std::string value;       // JSON object (content.checkpoint-put)
        bool automatic = false;  // takes the place of the last automatic one
    };
    std::optional<NewCheckpoint> checkpoint;

    bool empty() const {
        return jobs.empty() && appends.empty() && resources.empty() && rows.empty() &&
               purges.empty() && meta.empty() && blobs.empty() && !checkpoint;
    }
};

/// A place in a job's log: after the entry `seq`, and `skip` entries more.
struct LogPlace {
    std::int64_t seq = 0;
    std::size_t skip = 0;
};
struct LogPart {
    std::string data;   // whole lines
    LogPlace next;      // what follows `data`
    bool more = false;  // there was more to read
};

/// Where a collection of blobs draws the line: what is stored from now on has this epoch at least.
struct CollectionHorizon {
    std::int64_t epoch = 0;
    std::int64_t high_water = 0;  // the largest row there is
};

struct StoredJob {
    JobId id;
    UserId userid;
    std::string jobspec, updates;  // of a list of jobs: read for active jobs only
    std::optional<std::string> R;
    std::string row;       // empty while the job is active
    std::string eventlog;  // as `jobspec`
};

}  // namespace sluice
