// JSON as Flux clients expect it: integers and reals never mix (0 and 0.0 differ to jansson's
// strict unpack), text is raw UTF-8, objects keep the order of their keys.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace sluice {

using Json = boost::json::value;
using JsonObject = boost::json::object;
using JsonArray = boost::json::array;

/// Parses one JSON document. Depth at most 64.
/// Errors: EPROTO with the position of the fault.
Result<Json> parse_json(std::string_view text);
/// As parse_json, and the document must be an object (RFC 3 payload convention).
Result<JsonObject> parse_json_object(std::string_view text);

/// Compact form; a real always shows a fraction or an exponent (1.0, never 1).
std::string dump_json(const Json& value);
std::string dump_json(const JsonObject& object);
/// Python's json.dumps layout: ", " and ": " between items, as `flux run --dry-run` prints.
std::string dump_json_spaced(const Json& value);
/// Indented by `indent` spaces a level.
std::string dump_json_pretty(const Json& value, int indent);
/// Shortest text that reads back as the same real: "300.0", "0.1", "1e+22".
std::string dump_real(double value);

/// Reads members of an object and remembers the first fault, so that a decoder reads everything and
/// checks once: `JsonReader in{payload}; auto id = in.integer("id"); if (!in) return in.error();`
/// Errors: EPROTO naming the key, the type wanted and what was found.
class JsonReader {
  public:
    explicit JsonReader(const JsonObject& object) : object_(object) {}

    std::string string(std::string_view key);
    std::int64_t integer(std::string_view key);  // rejects a real
    double number(std::string_view key);         // integer or real (jansson "F")
    bool boolean(std::string_view key);
    const JsonObject& object(std::string_view key);
    const JsonArray& array(std::string_view key);
    const Json* any(std::string_view key);       // fault when missing

    std::string string_or(std::string_view key, std::string fallback);
    std::int64_t integer_or(std::string_view key, std::int64_t fallback);
    double number_or(std::string_view key, double fallback);
    bool boolean_or(std::string_view key, bool fallback);
    std::optional<std::string> maybe_string(std::string_view key);
    const JsonObject* maybe_object(std::string_view key);
    const JsonArray* maybe_array(std::string_view key);

    explicit operator bool() const { return !error_; }
    const Error& error() const { return *error_; }

  private:
    const Json* find(std::string_view key, std::string_view wanted, bool required);
    void wrong(std::string_view key, std::string_view wanted, const Json& found);

    const JsonObject& object_;
    std::optional<Error> error_;
};

/// The member at a dotted path ("attributes.system.duration"), or nullptr.
const Json* find_path(const Json& root, std::string_view dotted);
const Json* find_path(const JsonObject& root, std::string_view dotted);
/// Sets the member at a dotted path, making objects on the way.
void set_path(JsonObject& root, std::string_view dotted, Json value);
/// What a value is, in words for messages: "string", "integer", "real", …
std::string_view json_type_name(const Json& value);
/// Value of an integer of either signedness, if it is one.
std::optional<std::int64_t> as_integer(const Json& value);
/// Value of an integer or real, if it is one.
std::optional<double> as_number(const Json& value);

}  // namespace sluice
