// Blobs by content address (content.*, RFC 10): raw bytes in, raw hash out, and back.
#include "base/blobref.hpp"
#include "broker/content/content_cache.hpp"
#include "broker/service/kvs_services.hpp"

namespace sluice {
namespace {

class ContentService : public RpcService<ContentService> {
  public:
    static const RpcTable<ContentService> rpcs;

    ContentService(Router& router, ContentCache& content)
        : RpcService(router, "content"), content_(content) {}

  private:
    void load(Request request, const JsonObject&) {
        const auto blob =
            content_.load(blobref_of(content_.algorithm(), request.message().bytes()));
        if (!blob) return request.fail(sluice::fail(ENOENT, "{}", Error{ENOENT}.text()));
        request.respond_bytes(**blob);
    }

    void store(Request request, const JsonObject&) {
        const auto ref = content_.store(std::string{request.message().bytes()});
        if (!ref) return request.fail(ref.error());
        request.respond_bytes(parse_blobref(*ref).value_or(""));
    }

    /// All blobs are in memory and none is a copy: nothing to write out or to drop.
    void settled(Request request, const JsonObject&) { request.respond(); }

    JsonObject stats() const override {
        const auto count = content_.count();
        return {{"count", count},           {"valid", count},         {"dirty", 0},
                {"size", content_.bytes()}, {"flush-batch-count", 0}, {"mmap", JsonObject{}}};
    }

    ContentCache& content_;
};

const RpcTable<ContentService> ContentService::rpcs{
    {"load", Caller::owner, Body::raw, &ContentService::load},
    {"store", Caller::owner, Body::raw, &ContentService::store},
    {"flush", Caller::owner, Body::none, &ContentService::settled},
    {"dropcache", Caller::owner, Body::none, &ContentService::settled},
};

}  // namespace

std::unique_ptr<Service> make_content_service(Router& router, ContentCache& content) {
    return std::make_unique<ContentService>(router, content);
}

}  // namespace sluice
