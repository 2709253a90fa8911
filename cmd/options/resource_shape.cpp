// RFC 46 - see resource_shape.hpp.
#include "cmd/options/resource_shape.hpp"

#include <charconv>

namespace sluice {
namespace {

constexpr int depth_max = 32;
constexpr std::string_view word_end = "/;[]{}=,: \t";

/// Reads the text from left to right; each part takes its text from the head.
class ShapeReader {
  public:
    explicit ShapeReader(std::string_view text) : text_(text), rest_(text) {}

    Result<JsonArray> read() {
        SLUICE_TRY(JsonArray resources, alternatives(depth_max));
        skip_blanks();
        if (!rest_.empty()) return bad("expected the end");
        return resources;
    }

  private:
    Error bad(std::string_view what) const {
        return fail(EINVAL, "shape '{}': {} at position {}", text_, what,
                    text_.size() - rest_.size() + 1);
    }
    void skip_blanks() {
        while (rest_.starts_with(' ') || rest_.starts_with('\t')) rest_.remove_prefix(1);
    }
    bool take(char c) {
        skip_blanks();
        if (!rest_.starts_with(c)) return false;
        rest_.remove_prefix(1);
        return true;
    }
    Result<std::string> word(std::string_view what) {
        skip_blanks();
        if (rest_.starts_with('"') || rest_.starts_with('\'')) {
            const std::size_t end = rest_.find(rest_.front(), 1);
            if (end == rest_.npos) return bad("a quote without an end");
            std::string quoted{rest_.substr(1, end - 1)};
            rest_.remove_prefix(end + 1);
            return quoted;
        }
        const std::string_view plain = rest_.substr(0, rest_.find_first_of(word_end));
        if (plain.empty()) return bad(fmt::format("expected {}", what));
        rest_.remove_prefix(plain.size());
        return std::string{plain};
    }

    /// One vertex, or several in brackets.
    Result<JsonArray> alternatives(int depth) {
        if (depth == 0) return bad("nested too deeply");
        JsonArray list;
        if (!take('[')) {
            SLUICE_TRY(JsonObject only, vertex(depth));
            list.emplace_back(std::move(only));
            return list;
        }
        do {
            SLUICE_TRY(JsonObject next, vertex(depth));
            list.emplace_back(std::move(next));
        } while (take(';'));
        if (!take(']')) return bad("expected ';' or ']'");
        return list;
    }

    Result<JsonObject> vertex(int depth) {
        JsonObject object;
        SLUICE_TRY(const std::string type, word("a type of resource"));
        object["type"] = type;
        object["count"] = 1;
        if (take('=')) {
            SLUICE_TRY(object["count"], count());
        }
        if (take('{')) SLUICE_CHECK(attributes(object, type == "slot"));
        if (type == "slot" && !object.contains("label")) object["label"] = "task";
        if (take('/')) {
            SLUICE_TRY(object["with"], alternatives(depth - 1));
        }
        return object;
    }

    /// A number, or a range of them as text: "4", "2+", "3-30", "4,9,16".
    Result<Json> count() {
        const bool bracket = take('[');
        skip_blanks();
        constexpr std::string_view letters = "0123456789+-,:*^";
        const std::size_t size = std::min(rest_.find_first_not_of(letters), rest_.size());
        const std::string_view text = rest_.substr(0, size);
        if (text.empty() || text.front() < '0' || text.front() > '9')
            return bad("expected a count such as 4, 2+, 1-8 or 2,4");
        rest_.remove_prefix(size);
        if (bracket && !take(']')) return bad("expected ']'");
        std::int64_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error == std::errc{} && end == text.data() + text.size()) return Json(number);
        return Json(text);
    }

    /// "{label}" of a slot, "{-x}", "{x}" (exclusive or not), "{unit:GB}".
    Result<void> attributes(JsonObject& object, bool slot) {
        if (take('}')) return {};
        do {
            SLUICE_TRY(const std::string key, word("a name"));
            if (take(':')) {
                SLUICE_TRY(const std::string value, word("a value"));
                const auto json = parse_json(value);
                object[key] = json ? *json : Json(value);
            } else if (key == "x" || key == "+x" || key == "-x") {
                object["exclusive"] = key != "-x";
            } else if (slot) {
                object["label"] = key;
            } else {
                object[key] = true;
            }
        } while (take(','));
        if (!take('}')) return bad("expected ',' or '}'");
        return {};
    }

    std::string_view text_, rest_;
};

Result<JsonArray> load_resources(const std::string& path, const FileLoader& load) {
    SLUICE_TRY(const LoadedFile file, load(path));
    const auto json = parse_json(file.content);
    if (!json) return fail(EINVAL, "Expecting JSON in {}: {}", path, json.error().text());
    const Json* resources = &*json;
    if (const JsonObject* object = json->if_object()) resources = object->if_contains("resources");
    if (!resources || !resources->is_array())
        return fail(EINVAL, "{}: expected an array, or an object with `resources`", path);
    return resources->get_array();
}

std::string find_label(const JsonArray& resources, int depth) {
    for (const Json& value : resources) {
        const JsonObject* vertex = value.if_object();
        if (!vertex || depth == 0) continue;
        const Json* label = vertex->if_contains("label");
        if (label && label->is_string()) return std::string{label->get_string()};
        const Json* with = vertex->if_contains("with");
        if (!with || !with->is_array()) continue;
        if (std::string found = find_label(with->get_array(), depth - 1); !found.empty())
            return found;
    }
    return {};
}

}  // namespace

Result<JsonArray> parse_shape(std::string_view text) { return ShapeReader{text}.read(); }

Result<std::optional<JsonArray>> shape_option(const SubmitOptions& options,
                                              const FileLoader& load) {
    const auto shape = options.last("resources-shape");
    const auto path = options.last("resources-json");
    if (shape && path)
        return fail(EINVAL, "`--resources-shape` and `--resources-json` are mutually exclusive "
                            "arguments. Use only one.");
    if (!shape && !path) return std::optional<JsonArray>{};
    auto resources = shape ? parse_shape(*shape) : load_resources(*path, load);
    if (!resources) return shape ? resources.error().in("--resources-shape") : resources.error();
    return std::optional{*std::move(resources)};
}

std::string slot_label(const JsonArray& resources) {
    const std::string label = find_label(resources, depth_max);
    return label.empty() ? "task" : label;
}

}  // namespace sluice
