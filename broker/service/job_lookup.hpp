// The keys of a job's folder (`job.<id>.KEY`, RFC 16) as the store gives them. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "base/result.hpp"
#include "broker/content/store.hpp"

namespace sluice {

/// Value of key "J", "jobspec" or "R"; nullopt when the job does not have it. With `current`, what
/// events of `eventlog` changed is taken in.
std::optional<JsonObject> stored_object(const StoredJob& job, std::string_view key,
                                        std::string_view eventlog, bool current);
/// As text, the form job-info.lookup gives; J is only available so.
std::optional<std::string> stored_text(const StoredJob& job, std::string_view key,
                                       std::string_view eventlog, bool current);

}  // namespace sluice
