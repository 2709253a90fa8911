#include "broker/content/blob_collector.hpp"

#include <algorithm>

#include "base/rfc/treeobj.hpp"
#include "broker/content/sqlite_store_database.hpp"

namespace sluice {
namespace {

// Of one slice: few enough that a commit that waits behind it does not notice.
constexpr std::int64_t marks_max = 500, sweep_rows = 5000;

using Kind = TreeObject::Kind;

template <class OnEntry>
Result<void> for_each_reference(const TreeObject& object, const OnEntry& on_entry) {
    if (object.kind == Kind::dirref || object.kind == Kind::valref) return on_entry(object);
    for (const auto& [name, entry] : object.entries) SLUICE_CHECK(for_each_reference(entry,
                                                                                     on_entry));
    return {};
}

}  // namespace

BlobCollector::BlobCollector(CollectionHorizon horizon, std::vector<std::string> roots)
    : horizon_(horizon) {
    for (std::string& root : roots) visit(std::move(root));
}

void BlobCollector::visit(std::string blobref) {
    if (visited_.insert(blobref).second) to_visit_.push_back(std::move(blobref));
}

Result<bool> BlobCollector::step(Database& database) {
    if (!begun_) SLUICE_CHECK(add_checkpoints(database));
    begun_ = true;
    const std::int64_t before = marked_;
    while (!to_visit_.empty()) {
        const std::string next = std::move(to_visit_.back());
        to_visit_.pop_back();
        SLUICE_CHECK(mark_directory(database, next));
        if (marked_ - before >= marks_max) return false;
    }
    if (swept_to_ >= horizon_.high_water) return true;
    const std::int64_t to = std::min(swept_to_ + sweep_rows, horizon_.high_water);
    SLUICE_TRY(const std::int64_t count, database.sweep(horizon_.epoch, swept_to_, to));
    reclaimed_ += count;
    swept_to_ = to;
    return swept_to_ >= horizon_.high_water;
}

Result<void> BlobCollector::add_checkpoints(Database& database) {
    SLUICE_TRY(const std::vector<std::string> values, database.checkpoints());
    for (const std::string& text : values) {
        SLUICE_TRY(const JsonObject value, parse_json_object(text));
        JsonReader in{value};
        std::string root = in.string("rootref");
        if (!in) return in.error().in("checkpoint");
        ++checkpoints_;
        visit(std::move(root));
    }
    return {};
}

Result<void> BlobCollector::mark(Database& database, std::string_view blobref) {
    SLUICE_TRY(const bool changed, database.mark(blobref, horizon_.epoch));
    marked_ += changed;
    return {};
}

Result<void> BlobCollector::mark_directory(Database& database, const std::string& blobref) {
    SLUICE_TRY(const auto blob, database.blob(blobref));
    if (!blob)
        return fail(ENOENT, "directory {} is not in the store; flux fsck tells its keys", blobref);
    const auto json = parse_json_object(*blob);
    const auto directory = json ? decode_treeobj(*json) : Result<TreeObject>{json.error()};
    if (!directory || directory->kind != Kind::dir)
        return fail(EPROTO, "blob {} is no directory; flux fsck tells its keys", blobref);
    SLUICE_CHECK(mark(database, blobref));
    return for_each_reference(*directory, [&](const TreeObject& entry) -> Result<void> {
        if (entry.kind == Kind::dirref) {
            visit(entry.refs[0]);
            return {};
        }
        for (const std::string& ref : entry.refs) SLUICE_CHECK(mark(database, ref));
        return {};
    });
}

}  // namespace sluice
