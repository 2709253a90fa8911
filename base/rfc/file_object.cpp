// RFC 37 - see file_object.hpp.
#include "base/rfc/file_object.hpp"

#include <sys/stat.h>

#include "base/base64.hpp"
#include "base/rfc/io_data.hpp"

namespace sluice {
namespace {

/// Neither absolute nor with "..".
bool stays_inside(std::string_view path) {
    if (path.empty() || path.starts_with('/')) return false;
    while (!path.empty()) {
        const std::string_view part = path.substr(0, path.find('/'));
        if (part == "..") return false;
        path.remove_prefix(std::min(part.size() + 1, path.size()));
    }
    return true;
}

Result<FileObject::Blob> decode_blob(const Json& value, std::uint64_t file_size) {
    const JsonArray* parts = value.if_array();
    if (!parts || parts->size() != 3 || !(*parts)[2].is_string())
        return fail(EPROTO, "a blob is [offset, size, reference], found {}", dump_json(value));
    const auto offset = as_integer((*parts)[0]);
    const auto size = as_integer((*parts)[1]);
    if (!offset || !size || *offset < 0 || *size < 0)
        return fail(EPROTO, "bad offset or size of a blob: {}", dump_json(value));
    FileObject::Blob blob{static_cast<std::uint64_t>(*offset), static_cast<std::uint64_t>(*size),
                          std::string{(*parts)[2].get_string()}};
    if (blob.offset > file_size || blob.size > file_size - blob.offset)
        return fail(EPROTO, "a blob exceeds the file's {} bytes: {}", file_size, dump_json(value));
    return blob;
}

Result<void> decode_data(const JsonObject& json, std::string_view encoding, FileObject& to) {
    const Json* data = json.if_contains("data");
    if (!data) return {};
    if (encoding == "blobvec") {
        if (!data->is_array()) return fail(EPROTO, "data: expected an array of blobs");
        for (const Json& element : data->get_array()) {
            SLUICE_TRY(FileObject::Blob blob, decode_blob(element, to.size));
            to.blobs.push_back(std::move(blob));
        }
        return {};
    }
    if (!data->is_string()) {  // a JSON document of its own
        to.data = dump_json(*data);
        return {};
    }
    to.data = std::string_view{data->get_string()};
    if (encoding == "base64") {
        SLUICE_TRY(to.data, base64_decode(to.data));
    } else if (!encoding.empty() && encoding != "utf-8") {
        return fail(EPROTO, "encoding '{}', expected utf-8, base64 or blobvec", encoding);
    }
    return {};
}

}  // namespace

bool FileObject::is_folder() const { return S_ISDIR(mode); }
bool FileObject::is_link() const { return S_ISLNK(mode); }
bool FileObject::is_file() const { return S_ISREG(mode); }

JsonObject encode_file_object(const FileObject& object) {
    JsonObject json;
    json["path"] = object.path;
    if (!object.blobs.empty()) {
        JsonArray blobs;
        for (const FileObject::Blob& blob : object.blobs)
            blobs.emplace_back(JsonArray{blob.offset, blob.size, std::string_view{blob.ref}});
        json["encoding"] = "blobvec";
        json["data"] = std::move(blobs);
    } else if (object.is_link()) {
        json["data"] = object.data;
    } else if (object.is_file() && !object.data.empty()) {
        const bool text = is_utf8(object.data);
        json["encoding"] = text ? "utf-8" : "base64";
        json["data"] = text ? object.data : base64_encode(object.data);
    }
    if (object.is_file()) json["size"] = object.size;
    if (object.mtime) json["mtime"] = *object.mtime;
    if (object.ctime) json["ctime"] = *object.ctime;
    json["mode"] = object.mode;
    return json;
}

Result<FileObject> decode_file_object(const Json& value) {
    if (!value.is_object())
        return fail(EPROTO, "file object: expected an object, found {}", json_type_name(value));
    const JsonObject& json = value.get_object();
    JsonReader in{json};
    FileObject object;
    object.path = in.string("path");
    object.mode = static_cast<std::uint32_t>(in.integer("mode"));
    const std::int64_t size = in.integer_or("size", 0);
    const std::string encoding = in.string_or("encoding", "");
    if (json.contains("mtime")) object.mtime = in.integer("mtime");
    if (json.contains("ctime")) object.ctime = in.integer("ctime");
    if (!in) return in.error().in("file object");
    if (!stays_inside(object.path))
        return fail(EINVAL, "'{}': a path of an archive must be relative, without ..", object.path);
    if (!object.is_file() && !object.is_folder() && !object.is_link())
        return fail(EPROTO, "{}: mode {:o} is no file, folder or link", object.path, object.mode);
    if (size < 0) return fail(EPROTO, "{}: negative size", object.path);
    if (object.is_folder()) return object;
    if (object.is_file()) object.size = static_cast<std::uint64_t>(size);
    const auto decoded = decode_data(json, encoding, object);
    if (!decoded) return decoded.error().in(object.path);
    if (object.is_link() && !object.blobs.empty())
        return fail(EPROTO, "{}: a link has a target, not blobs", object.path);
    if (object.is_file() && !object.data.empty()) object.size = object.data.size();
    return object;
}

Result<std::vector<FileObject>> decode_archive(std::string_view text) {
    SLUICE_TRY(const Json parsed, parse_json(text));
    if (!parsed.is_array())
        return fail(EPROTO, "archive: expected an array, found {}", json_type_name(parsed));
    std::vector<FileObject> objects;
    for (const Json& element : parsed.get_array()) {
        SLUICE_TRY(FileObject object, decode_file_object(element));
        objects.push_back(std::move(object));
    }
    return objects;
}

}  // namespace sluice
