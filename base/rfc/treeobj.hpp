// RFC 11 - KVS tree objects: a value, references to its blobs, a directory, a reference to one, or
// a symbolic link. The JSON form has sorted keys, so that equal trees have equal blobs. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"

namespace sluice {

namespace kvs_flag {  // of lookups and of single operations of a commit
inline constexpr std::int64_t readdir = 1, readlink = 2, watch = 4, waitcreate = 8, treeobj = 16,
                              append = 32, watch_full = 64, watch_uniq = 128, watch_append = 256,
                              stream = 512, initial_sentinel = 1024;
}

struct TreeObject {
    enum class Kind { val, valref, dir, dirref, symlink };
    using Entries = std::map<std::string, TreeObject, std::less<>>;

    Kind kind = Kind::val;
    std::string value;                     // val: bytes
    std::vector<std::string> refs;         // valref: blobrefs in order; dirref: one
    Entries entries;                       // dir
    std::string target, target_namespace;  // symlink

    static TreeObject make_val(std::string bytes) { return {.value = std::move(bytes)}; }
    static TreeObject make_valref(std::vector<std::string> refs) {
        return {.kind = Kind::valref, .refs = std::move(refs)};
    }
    static TreeObject make_dir(Entries entries = {}) {
        return {.kind = Kind::dir, .entries = std::move(entries)};
    }
    static TreeObject make_dirref(std::string ref) {
        return {.kind = Kind::dirref, .refs = {std::move(ref)}};
    }
    bool is_directory() const { return kind == Kind::dir || kind == Kind::dirref; }
    friend bool operator==(const TreeObject&, const TreeObject&) = default;
};

JsonObject encode_treeobj(const TreeObject& object);
/// Errors: EPROTO for an unknown type or version, wrong data, or bad base64.
Result<TreeObject> decode_treeobj(const JsonObject& json);
/// Appends the compact form with sorted keys, the one that is hashed.
void append_treeobj(std::string& out, const TreeObject& object);
/// Appends `before` and `"name":`, as between the entries of a directory.
void append_name(std::string& out, char before, std::string_view name);
/// The blob form of a directory.
std::string dir_blob(const TreeObject& dir);

/// The parts of a key "a.b.c"; empty parts count for nothing, so "." and "" are the root.
std::vector<std::string> split_key(std::string_view key);

}  // namespace sluice
