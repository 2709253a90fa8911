// Blobs by content address (content.*, content-backing.*; RFC 10): raw bytes in, raw hash out, and
// back. Checkpoints name the roots of the KVS.
#include "broker/service/content.hpp"

#include <sys/statvfs.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/blobref.hpp"
#include "broker/config/attributes.hpp"
#include "broker/log/logger.hpp"
#include "broker/parts.hpp"
#include "broker/service/content_collection.hpp"
#include "broker/service/service.hpp"

namespace sluice {
namespace {

constexpr std::chrono::milliseconds write_behind_after{500};

void respond_blob(const Request& request, const Result<Blob>& blob) {
    if (blob) return request.respond_bytes(**blob);
    request.fail(sluice::fail(blob.error().errnum(), "{}", blob.error().text()));
}

void answer_checkpoints(Content& content, const Request& request) {
    content.backing().read_checkpoints([request](const Result<std::vector<std::string>>& values) {
        if (!values) return request.fail(values.error());
        JsonArray array;
        for (const std::string& text : *values)
            if (auto value = parse_json(text)) array.push_back(*std::move(value));
        if (array.empty()) return request.fail(Error{ENOENT});
        request.respond(JsonObject{{"value", std::move(array)}});
    });
}

class ContentService : public RpcService<ContentService> {
  public:
    static const RpcTable<ContentService> rpcs;

    ContentService(BrokerContext& context, Content& content)
        : RpcService(context.router, "content"), context_(context), content_(content) {}

  private:
    std::string ref_in(const Request& request) const {
        return blobref_of(content_.cache().algorithm(), request.message().bytes());
    }

    void load(Request request, const JsonObject&) {
        const std::string ref = ref_in(request);
        if (const Blob blob = content_.cache().find(ref)) return respond_blob(request, blob);
        if (!request.message().has(message_flag::user1))
            return content_.load(ref, [request](const auto& blob) { respond_blob(request, blob); });
        // Asked not to be kept in the cache.
        content_.backing().read_blob(ref, [request](const auto& read) {
            if (!read) return request.fail(read.error());
            if (!*read) return respond_blob(request, Error{ENOENT});
            request.respond_bytes(**read);
        });
    }

    void store(Request request, const JsonObject&) {
        const auto ref = content_.cache().store(std::string{request.message().bytes()});
        if (!ref) return request.fail(ref.error());
        content_.changed();
        request.respond_bytes(parse_blobref(*ref).value_or(""));
    }

    void flush(Request request, const JsonObject&) {
        content_.flush([request](const Result<void>& done) { request.respond(done); });
    }

    void dropcache(Request request, const JsonObject&) {
        content_.cache().drop_clean();
        request.respond();
    }

    /// No file is mapped, so none has this tag.
    void mmap_remove(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        (void)in.string("tag");
        if (!in) return request.fail(in.error());
        request.respond();
    }

    void checkpoint_get(Request request, const JsonObject&) {
        answer_checkpoints(content_, request);
    }

    void checkpoint_put(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const JsonObject& value = in.object("value");
        if (!in) return request.fail(in.error());
        if (!context_.kvs) context_.content->restored = true;
        content_.checkpoint({dump_json(value), false},
                            [request](const Result<void>& done) { request.respond(done); });
    }

    JsonObject stats() const override {
        const auto stats = content_.cache().stats();
        return {{"count", stats.count}, {"valid", stats.count},     {"dirty", stats.dirty},
                {"size", stats.bytes},  {"flush-batch-count", 0},
                {"mmap", JsonObject{{"tags", JsonObject{}}, {"blobs", 0}}}};
    }

    BrokerContext& context_;
    Content& content_;
};

const RpcTable<ContentService> ContentService::rpcs{
    {"load", Caller::owner, Body::raw, &ContentService::load},
    {"store", Caller::owner, Body::raw, &ContentService::store},
    {"flush", Caller::owner, Body::none, &ContentService::flush},
    {"dropcache", Caller::owner, Body::none, &ContentService::dropcache},
    {"mmap-remove", Caller::owner, Body::json, &ContentService::mmap_remove},
    {"checkpoint-get", Caller::owner, Body::none, &ContentService::checkpoint_get},
    {"checkpoint-put", Caller::owner, Body::json, &ContentService::checkpoint_put},
};

/// The same without the cache; what is stored is on disk when the answer comes.
class BackingService : public RpcService<BackingService> {
  public:
    static const RpcTable<BackingService> rpcs;

    BackingService(BrokerContext& context, Content& content)
        : RpcService(context.router, "content-backing"),
          content_(content),
          collection_(context, content) {}

  private:
    std::string ref_in(const Request& request) const {
        return blobref_of(content_.cache().algorithm(), request.message().bytes());
    }

    void load(Request request, const JsonObject&) {
        content_.backing().read_blob(ref_in(request), [request](const auto& read) {
            if (!read) return request.fail(read.error());
            if (!*read) return respond_blob(request, Error{ENOENT});
            request.respond_bytes(**read);
        });
    }

    void validate(Request request, const JsonObject&) {
        content_.backing().has_blob(ref_in(request), [request](const Result<bool>& found) {
            if (!found) return request.fail(found.error());
            if (!*found) return request.fail(Error{ENOENT});
            request.respond();
        });
    }

    void store(Request request, const JsonObject&) {
        const std::string& algorithm = content_.cache().algorithm();
        auto bytes = std::make_shared<const std::string>(request.message().bytes());
        const auto hash = hash_blob(algorithm, *bytes);
        if (!hash) return request.fail(hash.error());
        auto batch = std::make_shared<StoreBatch>();
        batch->blobs.push_back({blobref_of(algorithm, *hash), std::move(bytes)});
        content_.backing().commit(batch, [request, hash = *hash](const Result<void>& stored) {
            if (!stored) return request.fail(stored.error());
            request.respond_bytes(hash);
        });
    }

    void checkpoint_get(Request request, const JsonObject&) {
        answer_checkpoints(content_, request);
    }

    void checkpoint_put(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const JsonObject& value = in.object("value");
        if (!in) return request.fail(in.error());
        auto batch = std::make_shared<StoreBatch>();
        batch->checkpoint = {dump_json(value), false};
        content_.backing().commit(
            batch, [request](const Result<void>& done) { request.respond(done); });
    }

    /// Ours: the reference's clients walk the trees themselves.
    void collect(Request request, const JsonObject&) { collection_.request(std::move(request)); }

    Content& content_;
    ContentCollection collection_;
};

const RpcTable<BackingService> BackingService::rpcs{
    {"load", Caller::owner, Body::raw, &BackingService::load},
    {"validate", Caller::owner, Body::raw, &BackingService::validate},
    {"store", Caller::owner, Body::raw, &BackingService::store},
    {"checkpoint-get", Caller::owner, Body::none, &BackingService::checkpoint_get},
    {"checkpoint-put", Caller::owner, Body::json, &BackingService::checkpoint_put},
    {"gc", Caller::owner, Body::none, &BackingService::collect},
};

/// A path or statedir of the user's outlives us and power failures; a statedir of our own does not,
/// so its contents may as well be in the rundir, and what an earlier broker left there is not ours.
SqliteStore::Options store_options(const BrokerContext& context, bool& temporary) {
    const std::string given = context.attributes.get_or("content.backing-path", "");
    temporary = given.empty() && (context.attributes.get_or("statedir-cleanup", "0") == "1" ||
                                  context.statedir.empty());
    if (!given.empty()) return {given, true};
    const std::string path =
        (temporary ? context.rundir : context.statedir) + "/content.sqlite";
    if (temporary)
        for (const char* suffix : {"", "-wal", "-shm"}) ::unlink((path + suffix).c_str());
    return {path, !temporary};
}

/// New work is refused while there is still room for what the work that was taken has to tell.
class DiskRoom {
  public:
    DiskRoom(BrokerContext& context, const std::string& file)
        : context_(context), folder_(file.substr(0, file.rfind('/') + 1)) {}

    Result<void> check() {
        if (stalled_) return *stalled_;
        const auto now = std::chrono::steady_clock::now();
        if (now < next_look_) return last_;
        next_look_ = now + look_again_after;
        return last_ = look();
    }
    void on_stalled(const Result<void>& result) {
        next_look_ = {};
        if (result) {
            stalled_.reset();
            return context_.log.info("content", "{}: there is room again", folder_);
        }
        stalled_ = result.error();
        context_.log.err("content", "{}; jobs go on, what they tell waits for room",
                         result.error().text());
    }

  private:
    Result<void> look() const {
        struct statvfs disk {};
        if (::statvfs(folder_.c_str(), &disk) != 0) return {};  // the store will tell
        const std::uint64_t size = std::uint64_t{disk.f_blocks} * disk.f_frsize,
                            room = std::uint64_t{disk.f_bavail} * disk.f_frsize,
                            kept = std::min(kept_bytes_max, size / 20);
        if (room >= kept) return {};
        return fail(ENOSPC,
                    "{}: {} KiB are left on the disk, of which {} are kept for jobs that are there "
                    "already; make room, then submit again",
                    folder_, room >> 10, kept >> 10);
    }

    static constexpr std::chrono::milliseconds look_again_after{100};
    static constexpr std::uint64_t kept_bytes_max = 16 << 20;
    BrokerContext& context_;
    std::string folder_;
    std::optional<Error> stalled_;
    Result<void> last_;
    std::chrono::steady_clock::time_point next_look_{};
};

struct ContentPart {
    ContentPart(BrokerContext& context, const std::string& file)
        : hub(context.content),
          room(context, file),
          service(context, *hub->content),
          backing(context, *hub->content),
          timer(context.io) {
        hub->check_room = [this] { return room.check(); };
        hub->store->on_stalled([this](const Result<void>& result) { room.on_stalled(result); });
        connect(context);
    }

    void connect(BrokerContext& context);
    std::shared_ptr<ContentHub> hub;
    DiskRoom room;
    ContentService service;
    BackingService backing;
    boost::asio::steady_timer timer;
};

void ContentPart::connect(BrokerContext& context) {
    hub->content->hooks.later = [this] {
        timer.expires_after(write_behind_after);
        timer.async_wait([this](boost::system::error_code error) {
            if (!error) hub->content->write_behind();
        });
    };
    hub->content->hooks.on_error = [&context](const Error& error) {
        context.log.err("content", "blobs cannot be stored: {}", error.text());
    };
}

}  // namespace

Result<Part> make_content(BrokerContext& context) {
    auto hub = std::make_shared<ContentHub>();
    const SqliteStore::Options options = store_options(context, hub->temporary);
    SLUICE_TRY(hub->store, SqliteStore::open(options, [&io = context.io](auto work) {
                   boost::asio::post(io, std::move(work));
               }));
    hub->content = std::make_unique<Content>(
        ContentCache{context.attributes.get_or("content.hash", "sha1")}, *hub->store);
    context.content = hub;
    return Part{std::make_shared<ContentPart>(context, options.path)};
}

}  // namespace sluice
