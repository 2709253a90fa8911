#include "base/rpc/content_client.hpp"

#include "base/blobref.hpp"

namespace sluice {

Result<std::string> load_blob(Handle& flux, const std::string& blobref, ContentTier tier) {
    SLUICE_TRY(std::string hash, parse_blobref(blobref));
    Message request = Message::request(tier == ContentTier::backing ? "content-backing.load"
                                                                    : "content.load");
    request.set_bytes(std::move(hash));
    SLUICE_TRY(const Message reply, flux.call(std::move(request)));
    return std::string{reply.bytes()};
}

Result<std::string> store_blob(Handle& flux, const std::string& algorithm, std::string blob,
                               ContentTier tier) {
    Message request = Message::request(tier == ContentTier::backing ? "content-backing.store"
                                                                    : "content.store");
    request.set_bytes(std::move(blob));
    SLUICE_TRY(const Message reply, flux.call(std::move(request)));
    return blobref_of(algorithm, reply.bytes());
}

}  // namespace sluice
