// Requests to kvs.commit for values that the broker itself keeps in the KVS.
#pragma once

#include <string>
#include <string_view>

#include "base/base64.hpp"
#include "base/json.hpp"

namespace sluice {

enum class KvsWrite : int { replace = 0, append = 32 };  // flags of an operation

inline JsonObject kvs_operation(std::string_view key, std::string_view value, KvsWrite how) {
    return {{"key", key},
            {"flags", static_cast<int>(how)},
            {"dirent", {{"ver", 1}, {"type", "val"}, {"data", base64_encode(value)}}}};
}

enum class KvsDurable : int { later = 0, at_once = 4 };  // flags of a commit

inline JsonObject kvs_commit(JsonArray operations, KvsDurable durable = KvsDurable::later) {
    return {{"namespace", "primary"},
            {"flags", static_cast<int>(durable)},
            {"ops", std::move(operations)}};
}

}  // namespace sluice
