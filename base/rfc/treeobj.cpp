#include "base/rfc/treeobj.hpp"

#include <algorithm>
#include <utility>

#include "base/base64.hpp"
#include "base/blobref.hpp"

namespace sluice {
namespace {

constexpr std::int64_t version = 1;

std::string_view kind_name(TreeObject::Kind kind) {
    switch (kind) {
        case TreeObject::Kind::val:
            return "val";
        case TreeObject::Kind::valref:
            return "valref";
        case TreeObject::Kind::dir:
            return "dir";
        case TreeObject::Kind::dirref:
            return "dirref";
        case TreeObject::Kind::symlink:
            return "symlink";
    }
    return "val";
}

Json encode_data(const TreeObject& object) {
    switch (object.kind) {
        case TreeObject::Kind::val:
            return Json(base64_encode(object.value));
        case TreeObject::Kind::valref:
        case TreeObject::Kind::dirref:
            return Json(JsonArray(object.refs.begin(), object.refs.end()));
        case TreeObject::Kind::dir: {
            JsonObject entries;
            for (const auto& [name, entry] : object.entries) entries[name] = encode_treeobj(entry);
            return Json(std::move(entries));
        }
        case TreeObject::Kind::symlink: {
            JsonObject data;
            if (!object.target_namespace.empty()) data["namespace"] = object.target_namespace;
            data["target"] = object.target;
            return Json(std::move(data));
        }
    }
    return Json(nullptr);
}

Error bad(std::string_view type, const Json& data) {
    return fail(EPROTO, "tree object of type {}: data is {}", type, json_type_name(data));
}

Result<TreeObject> decode_refs(TreeObject::Kind kind, const Json& data) {
    TreeObject object{.kind = kind};
    if (!data.is_array()) return bad(kind_name(kind), data);
    for (const Json& ref : data.as_array()) {
        if (!ref.is_string()) return bad(kind_name(kind), ref);
        object.refs.emplace_back(ref.as_string());
        if (const auto hash = parse_blobref(object.refs.back()); !hash)
            return fail(EPROTO, "tree object of type {}: {}", kind_name(kind),
                        hash.error().text());
    }
    const bool one = kind == TreeObject::Kind::dirref;
    if (object.refs.empty() || (one && object.refs.size() != 1))
        return fail(EPROTO, "tree object of type {}: has {} references", kind_name(kind),
                    object.refs.size());
    return object;
}

Result<TreeObject> decode_dir(const Json& data) {
    if (!data.is_object()) return bad("dir", data);
    TreeObject object = TreeObject::make_dir();
    for (const auto& [name, entry] : data.as_object()) {
        if (!entry.is_object()) return bad("dir", entry);
        SLUICE_TRY(TreeObject decoded, decode_treeobj(entry.as_object()));
        object.entries.emplace(std::string{name}, std::move(decoded));
    }
    return object;
}

Result<TreeObject> decode_symlink(const Json& data) {
    if (!data.is_object()) return bad("symlink", data);
    JsonReader in{data.as_object()};
    TreeObject object{.kind = TreeObject::Kind::symlink, .target = in.string("target")};
    object.target_namespace = in.string_or("namespace", "");
    if (!in) return in.error();
    return object;
}

void append_refs(std::string& out, const std::vector<std::string>& refs) {
    char before = '[';
    for (const std::string& ref : refs) {
        out += std::exchange(before, ',');
        out += '"';
        out += ref;
        out += '"';
    }
    out += before == '[' ? "[]" : "]";
}

}  // namespace

void append_name(std::string& out, char before, std::string_view name) {
    out += before;
    const bool plain = std::ranges::none_of(name, [](unsigned char c) {
        return c < 0x20 || c == '"' || c == '\\';
    });
    if (plain) {
        out += '"';
        out += name;
        out += '"';
    } else {
        out += dump_json(Json(name));
    }
    out += ':';
}

JsonObject encode_treeobj(const TreeObject& object) {
    JsonObject json;
    json["data"] = encode_data(object);
    json["type"] = kind_name(object.kind);
    json["ver"] = version;
    return json;
}

Result<TreeObject> decode_treeobj(const JsonObject& json) {
    JsonReader in{json};
    const std::int64_t found = in.integer("ver");
    const std::string type = in.string("type");
    const Json* data = in.any("data");
    if (!in) return in.error();
    if (found != version) return fail(EPROTO, "tree object: version {} is not 1", found);
    if (type == "val") {
        if (!data->is_string()) return bad(type, *data);
        auto bytes = base64_decode(std::string_view{data->as_string()});
        if (!bytes) return fail(EPROTO, "tree object of type val: {}", bytes.error().text());
        return TreeObject::make_val(*std::move(bytes));
    }
    if (type == "valref") return decode_refs(TreeObject::Kind::valref, *data);
    if (type == "dirref") return decode_refs(TreeObject::Kind::dirref, *data);
    if (type == "dir") return decode_dir(*data);
    if (type == "symlink") return decode_symlink(*data);
    return fail(EPROTO, "tree object: type '{}' is unknown", type);
}

void append_treeobj(std::string& out, const TreeObject& object) {
    out += R"({"data":)";
    switch (object.kind) {
        case TreeObject::Kind::val:
            out += '"';
            out += base64_encode(object.value);
            out += '"';
            break;
        case TreeObject::Kind::valref:
        case TreeObject::Kind::dirref:
            append_refs(out, object.refs);
            break;
        case TreeObject::Kind::dir: {
            char before = '{';
            for (const auto& [name, entry] : object.entries) {
                append_name(out, std::exchange(before, ','), name);
                append_treeobj(out, entry);
            }
            out += before == '{' ? "{}" : "}";
            break;
        }
        case TreeObject::Kind::symlink:
            out += dump_json(encode_data(object));
            break;
    }
    out += R"(,"type":")";
    out += kind_name(object.kind);
    out += R"(","ver":1})";
}

std::string dir_blob(const TreeObject& dir) {
    std::string blob;
    append_treeobj(blob, dir);
    return blob;
}

std::vector<std::string> split_key(std::string_view key) {
    std::vector<std::string> parts;
    while (!key.empty()) {
        const std::size_t dot = std::min(key.find('.'), key.size());
        if (dot > 0) parts.emplace_back(key.substr(0, dot));
        key.remove_prefix(std::min(dot + 1, key.size()));
    }
    return parts;
}

}  // namespace sluice
