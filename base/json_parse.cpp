// The parser of json.hpp. The library's own parser reads reals to within a few units of the last
// place; time stamps must come back bit for bit, so reals are read again from their text.
#include <boost/json/basic_parser_impl.hpp>
#include <charconv>

#include "base/json.hpp"
#include "base/json_arena.hpp"

namespace sluice {
namespace {

namespace json = boost::json;
using error_code = json::error_code;

constexpr std::size_t depth_max = 64;

/// Builds the value from the parser's calls. It is given the whole text at once, but a token with
/// escapes still comes in parts.
class Builder {
  public:
    static constexpr std::size_t max_object_size = json::object::max_size();
    static constexpr std::size_t max_array_size = json::array::max_size();
    static constexpr std::size_t max_key_size = json::string::max_size();
    static constexpr std::size_t max_string_size = json::string::max_size();

    /// The value takes its memory from `storage`.
    explicit Builder(json::storage_ptr storage) : storage_(std::move(storage)) {}
    Json take() { return stack_.release(); }

    bool on_document_begin(error_code&) {
        stack_.reset(storage_);
        return true;
    }
    bool on_document_end(error_code&) { return true; }
    bool on_object_begin(error_code&) { return true; }
    bool on_object_end(std::size_t members, error_code&) {
        stack_.push_object(members);
        return true;
    }
    bool on_array_begin(error_code&) { return true; }
    bool on_array_end(std::size_t items, error_code&) {
        stack_.push_array(items);
        return true;
    }
    bool on_key_part(json::string_view part, std::size_t, error_code&) {
        stack_.push_chars(part);
        return true;
    }
    bool on_key(json::string_view part, std::size_t, error_code&) {
        stack_.push_key(part);
        return true;
    }
    bool on_string_part(json::string_view part, std::size_t, error_code&) {
        stack_.push_chars(part);
        return true;
    }
    bool on_string(json::string_view part, std::size_t, error_code&) {
        stack_.push_string(part);
        return true;
    }
    bool on_number_part(json::string_view part, error_code&) {
        number_.append(part.data(), part.size());
        return true;
    }
    bool on_int64(std::int64_t value, json::string_view, error_code&) {
        number_.clear();
        stack_.push_int64(value);
        return true;
    }
    bool on_uint64(std::uint64_t value, json::string_view, error_code&) {
        number_.clear();
        stack_.push_uint64(value);
        return true;
    }
    bool on_double(double value, json::string_view part, error_code& error) {
        number_.append(part.data(), part.size());
        const char* const last = number_.data() + number_.size();
        const auto read = std::from_chars(number_.data(), last, value);
        number_.clear();
        if (read.ec != std::errc{}) {
            error = json::error::exponent_overflow;
            return false;
        }
        stack_.push_double(value);
        return true;
    }
    bool on_bool(bool value, error_code&) {
        stack_.push_bool(value);
        return true;
    }
    bool on_null(error_code&) {
        stack_.push_null();
        return true;
    }
    bool on_comment_part(json::string_view, error_code&) { return true; }
    bool on_comment(json::string_view, error_code&) { return true; }

  private:
    json::storage_ptr storage_;
    json::value_stack stack_;
    std::string number_;
};

Result<Json> parse(std::string_view text, json::storage_ptr storage) {
    error_code error;
    json::parse_options options;
    options.max_depth = depth_max;
    json::basic_parser<Builder> parser(options, std::move(storage));
    const std::size_t read = parser.write_some(false, text.data(), text.size(), error);
    if (error) return fail(EPROTO, "JSON: {} near byte {}", error.message(), read);
    if (text.find_first_not_of(" \t\r\n", read) != std::string_view::npos)
        return fail(EPROTO, "JSON: extra text after byte {}", read);
    return parser.handler().take();
}

}  // namespace

Result<Json> parse_json(std::string_view text) {
    return parse(text, {});
}

Result<JsonObject> parse_json_object(std::string_view text, JsonArena& arena) {
    SLUICE_TRY(Json value, parse(text, &arena));
    if (value.is_object()) return std::move(value.get_object());
    return fail(EPROTO, "JSON: expected an object, found {}", json_type_name(value));
}

}  // namespace sluice
