#include "cmd/format/yaml_subset.hpp"

#include <vector>

namespace sluice {

namespace {

constexpr int depth_max = 16;

struct Line {
    std::size_t number, indent;
    std::string_view text;  // without indentation; may be empty
};

std::string_view strip(std::string_view text) {
    while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    return text;
}

std::vector<Line> split_lines(std::string_view text) {
    std::vector<Line> lines;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::size_t end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end == text.npos ? text.size() : end + 1);
        const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
        lines.push_back({number, indent, strip(line)});
    }
    return lines;
}

bool ignorable(const Line& line) {
    return line.text.empty() || line.text.front() == '#' || line.text == "---";
}

class YamlReader {
  public:
    explicit YamlReader(std::string_view text) : lines_(split_lines(text)) {}

    Result<JsonObject> document() {
        skip_ignorable();
        if (at_end()) return JsonObject{};
        SLUICE_TRY(JsonObject object, mapping(lines_[at_].indent, depth_max));
        skip_ignorable();
        if (!at_end()) return bad("indentation does not fit");
        return object;
    }

  private:
    bool at_end() const { return at_ >= lines_.size(); }
    void skip_ignorable() {
        while (!at_end() && ignorable(lines_[at_])) ++at_;
    }
    Error bad(std::string_view what) const {
        return fail(EINVAL, "line {}: {}", lines_[std::min(at_, lines_.size() - 1)].number, what);
    }

    Result<JsonObject> mapping(std::size_t indent, int depth) {
        if (depth == 0) return bad("nested too deeply");
        JsonObject object;
        for (skip_ignorable(); !at_end() && lines_[at_].indent == indent; skip_ignorable()) {
            std::string_view rest = lines_[at_].text;
            SLUICE_TRY(const std::string key, take_key(rest));
            SLUICE_TRY(Json value, value_after(rest, indent, depth));
            object[key] = std::move(value);
        }
        return object;
    }

    /// Takes "key:" from the head of a line.
    Result<std::string> take_key(std::string_view& rest) {
        std::string key;
        if (rest.front() == '"' || rest.front() == '\'') {
            const std::size_t end = rest.find(rest.front(), 1);
            if (end == rest.npos) return bad("quote without an end");
            key = rest.substr(1, end - 1);
            rest.remove_prefix(end + 1);
            if (!rest.starts_with(':')) return bad("no ':' after the key");
            rest.remove_prefix(1);
        } else {
            const std::size_t end = rest.find(':');
            if (end == rest.npos || (end + 1 < rest.size() && rest[end + 1] != ' '))
                return bad("no 'key: value'");
            key = strip(rest.substr(0, end));
            rest.remove_prefix(end + 1);
        }
        rest = strip(rest);
        return key;
    }

    Result<Json> value_after(std::string_view rest, std::size_t indent, int depth) {
        if (rest.starts_with('#')) rest = {};
        if (rest.starts_with('>') || rest.starts_with('|')) {
            const bool folded = rest.front() == '>';
            const bool keep_end = rest.size() == 1;
            ++at_;
            return Json(block(indent, folded, keep_end));
        }
        if (!rest.empty()) return scalar(rest);
        ++at_;
        skip_ignorable();
        if (at_end() || lines_[at_].indent <= indent) return Json("");
        SLUICE_TRY(JsonObject object, mapping(lines_[at_].indent, depth - 1));
        return Json(std::move(object));
    }

    Result<Json> scalar(std::string_view rest) {
        if (rest.front() == '"') {
            const std::size_t end = rest.rfind('"');
            auto text = parse_json(rest.substr(0, end + 1));
            if (end == 0 || !text) return bad("bad quoted text");
            ++at_;
            return *text;
        }
        if (rest.front() == '\'') {
            const std::size_t end = rest.rfind('\'');
            if (end == 0) return bad("quote without an end");
            ++at_;
            std::string text{rest.substr(1, end - 1)};
            for (std::size_t i = 0; (i = text.find("''", i)) != text.npos; ++i) text.erase(i, 1);
            return Json(text);
        }
        ++at_;
        return Json(strip(rest.substr(0, rest.find(" #"))));
    }

    std::string block(std::size_t indent, bool folded, bool keep_end) {
        std::string text;
        for (; !at_end() && (lines_[at_].text.empty() || lines_[at_].indent > indent); ++at_) {
            if (!text.empty()) text += folded ? ' ' : '\n';
            text += lines_[at_].text;
        }
        while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) text.pop_back();
        return keep_end && !text.empty() ? text + "\n" : text;
    }

    std::vector<Line> lines_;
    std::size_t at_ = 0;
};

}  // namespace

Result<JsonObject> parse_yaml_subset(std::string_view text) {
    return YamlReader{text}.document();
}

}  // namespace sluice
