// Jobs from a restored KVS: what is below `job` of the latest checkpoint's root (RFC 16) becomes
// jobs of the store, before the pipeline reads it.
#pragma once

#include "base/result.hpp"
#include "broker/content/sqlite_store.hpp"

namespace sluice {

/// Adds the jobs that the store has not got; waits. Returns their number.
/// Errors: a store that cannot be read. A job that makes no sense is left out.
Result<std::size_t> import_jobs(SqliteStore& store);

}  // namespace sluice
