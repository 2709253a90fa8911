#include "broker/service/resource_archive.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include "broker/log/logger.hpp"
#include "broker/service/kvs_write.hpp"

namespace sluice {
namespace {

constexpr std::string_view log_key = "resource.eventlog", R_key = "resource.R";
constexpr std::array<std::string_view, 4> kept{"drain", "undrain", "resource-define",
                                               "resource-update"};

Result<std::vector<Event>> read_log(const Reply& reply) {
    if (reply.message.errnum() == ENOENT) return std::vector<Event>{};
    SLUICE_TRY(const JsonObject payload, reply.json());
    JsonReader in{payload};
    JsonReader value{in.object("val")};
    const std::string data = value.string("data");
    if (!value) return value.error();
    SLUICE_TRY(const std::string text, base64_decode(data));
    return decode_eventlog(text);
}

}  // namespace

void ResourceArchive::load(std::function<void(Result<std::vector<Event>>)> done) {
    const JsonObject lookup{{"key", log_key}, {"namespace", "primary"}, {"flags", 0}};
    rpc_.call("kvs.lookup", lookup, {},
              [done = std::move(done)](const Reply& reply) { done(read_log(reply)); });
}

void ResourceArchive::add(const ResourceLog::Event& event) {
    const auto entry = event_from_json(event.entry);
    if (!entry || std::ranges::find(kept, entry->name) == kept.end()) return;
    JsonArray operations{kvs_operation(log_key, encode_event(*entry), KvsWrite::append)};
    if (event.R) operations.push_back(kvs_operation(R_key, dump_json(*event.R), KvsWrite::replace));
    const bool asked_for = entry->name == "drain" || entry->name == "undrain";
    const KvsDurable durable = asked_for ? KvsDurable::at_once : KvsDurable::later;
    ++pending_;
    rpc_.call("kvs.commit", kvs_commit(std::move(operations), durable), {},
              [this](const Reply& reply) {
                  if (!reply.ok())
                      context_.log.err("resource", "{}: {}", log_key, reply.error().text());
                  if (--pending_ > 0) return;
                  for (const auto& then : std::exchange(waiting_, {})) then();
              });
}

void ResourceArchive::when_kept(std::function<void()> then) {
    if (pending_ == 0) return then();
    waiting_.push_back(std::move(then));
}

}  // namespace sluice
