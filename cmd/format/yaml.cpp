#include "cmd/format/yaml.hpp"

#include <yaml-cpp/yaml.h>

namespace sluice {
namespace {

constexpr int depth_max = 32;

struct TooDeep {};

Json to_json(const YAML::Node& node, int depth) {
    if (depth == 0) throw TooDeep{};  // an anchor may name what it is in
    if (node.IsMap()) {
        JsonObject object;
        for (const auto& member : node)
            object[member.first.as<std::string>()] = to_json(member.second, depth - 1);
        return Json(std::move(object));
    }
    if (node.IsSequence()) {
        JsonArray array;
        for (const YAML::Node& item : node) array.push_back(to_json(item, depth - 1));
        return Json(std::move(array));
    }
    return Json(node.IsScalar() ? node.Scalar() : "");
}

}  // namespace

Result<JsonObject> parse_yaml(std::string_view text) {
    try {
        const YAML::Node root = YAML::Load(std::string{text});
        if (!root || root.IsNull()) return JsonObject{};
        Json json = to_json(root, depth_max);
        if (!json.is_object()) return fail(EINVAL, "line 1: expected 'key: value'");
        return std::move(json.get_object());
    } catch (const YAML::Exception& error) {
        return fail(EINVAL, "line {}: {}", error.mark.line + 1, error.msg);
    } catch (const TooDeep&) {
        return fail(EINVAL, "line 1: nested too deeply");
    }
}

}  // namespace sluice
