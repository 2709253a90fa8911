// The content store as a part of rank 0: the database, the cache in front of it, and the services
// content.* and content-backing.* (wire.md 2.9). The jobs keep their data in the same database.
#pragma once

#include <functional>
#include <memory>

#include "broker/content/content.hpp"
#include "broker/context.hpp"

namespace sluice {

/// What other parts need of it; in BrokerContext.
struct ContentHub {
    std::unique_ptr<SqliteStore> store;
    std::unique_ptr<Content> content;
    /// Whether there is room for more work. Errors: ENOSPC with the file system and what is left.
    std::function<Result<void>()> check_room;
    bool temporary = false;  // the store does not outlive the broker
    bool restored = false;   // a checkpoint was put before the KVS was there
};

}  // namespace sluice
