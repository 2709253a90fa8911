// The values of options, and the options of output and input.
#include <cmath>

#include "base/rfc/fsd.hpp"
#include "base/size.hpp"
#include "shell/option_values.hpp"

namespace sluice::shell {
namespace {

constexpr std::uint64_t output_limit_max = std::uint64_t{1} << 30;
constexpr std::uint64_t input_limit_max = std::uint64_t{32} << 20;

}  // namespace

Error wrong(std::string_view option, std::string_view wanted, const Json& found) {
    return fail(EINVAL, "{}: expected {}, found {}", option, wanted, dump_json(found));
}

bool truth(const Json& value) {
    if (value.is_bool()) return value.get_bool();
    if (const auto number = as_number(value)) return *number != 0;
    return !value.is_null();
}

std::string text_of(const Json& value) {
    return value.is_string() ? std::string(value.get_string()) : dump_json(value);
}

Result<double> seconds(std::string_view option, const Json& value) {
    if (const auto number = as_number(value); number && *number >= 0) return *number;
    if (value.is_string())
        if (const auto parsed = fsd_parse(std::string_view{value.get_string()})) return *parsed;
    return fail(EINVAL, "{} is not a valid Flux Standard Duration", option);
}

namespace {

Result<std::uint64_t> limit_of(std::string_view option, const Json& value, std::uint64_t max,
                               std::string_view max_text) {
    const auto bytes = parse_size(text_of(value));
    if (!bytes) return bytes.error().in(option);
    if (*bytes == 0 || *bytes > max)
        return fail(EINVAL, "{}: found {}, allowed 1 to {}", option, text_of(value), max_text);
    return *bytes;
}

/// Credits of a client, of stock shells. Ours lets a client have what it has taken, so they only
/// have to make sense.
Result<void> check_client(const Json& client) {
    constexpr std::int64_t low_default = 100, high_default = 1000;
    const JsonObject* object = client.if_object();
    if (!object) return wrong("output.client", "lwm and hwm", client);
    JsonReader in{*object};
    const std::int64_t low = in.integer_or("lwm", low_default);
    const std::int64_t high = in.integer_or("hwm", high_default);
    if (!in) return in.error().in("output.client");
    if (low < 0 || high <= low)
        return fail(EINVAL,
                    "invalid output.client.lwm and/or hwm specified: {} and {}; the first must be "
                    "0 or more, the second greater",
                    low, high);
    return {};
}

Result<void> set_stream(std::string_view name, const Json& value, StreamOptions& to) {
    const JsonObject* object = value.if_object();
    if (!object) return wrong(name, "{type,path,…}", value);
    JsonReader in{*object};
    if (const auto type = in.maybe_string("type")) {
        if (*type == "file") {
            to.type = StreamOptions::Type::file;
        } else if (*type == "kvs" || *type == "term") {
            to.type = StreamOptions::Type::kvs;
        } else {
            return fail(EINVAL, "{}.type: found '{}', expected kvs or file", name, *type);
        }
    }
    to.path = in.string_or("path", to.path);
    if (!in) return in.error().in(name);
    if (to.type == StreamOptions::Type::file && to.path.empty())
        return fail(EINVAL, "{}.path: missing for type file", name);
    if (const Json* label = object->if_contains("label")) to.label = truth(*label);
    if (const Json* buffer = find_path(value, "buffer.type"); buffer && buffer->is_string()) {
        const std::string_view type = buffer->get_string();
        if (type != "none" && type != "line")
            return fail(EINVAL, "{}.buffer.type: found '{}', expected none or line", name, type);
        to.line_buffered = type == "line";
    }
    return {};
}

}  // namespace

Result<void> set_output(const Json& value, ShellOptions& to) {
    to.err.line_buffered = false;
    if (const Json* out = find_path(value, "stdout"))
        SLUICE_CHECK(set_stream("output.stdout", *out, to.out));
    if (const Json* err = find_path(value, "stderr")) {
        const JsonObject* object = err->if_object();
        if (object && !object->contains("type")) {  // what is unset follows stdout
            to.err.type = to.out.type;
            to.err.path = to.out.path;
            to.err.label = to.out.label;
        }
        SLUICE_CHECK(set_stream("output.stderr", *err, to.err));
    } else {
        to.err.type = to.out.type;
        to.err.path = to.out.path;
        to.err.label = to.out.label;
    }
    if (const Json* mode = find_path(value, "mode")) {
        const std::string text = text_of(*mode);
        if (text != "truncate" && text != "append")
            return fail(EINVAL, "output.mode: found '{}', expected truncate or append", text);
        to.append = text == "append";
    }
    if (const Json* limit = find_path(value, "limit")) {
        to.output_limit_text = text_of(*limit);
        SLUICE_TRY(to.output_limit, limit_of("output.limit", *limit, output_limit_max, "1G"));
    }
    if (const Json* timeout = find_path(value, "batch-timeout")) {
        SLUICE_TRY(to.batch_timeout, seconds("output.batch-timeout", *timeout));
    }
    if (const Json* client = find_path(value, "client")) SLUICE_CHECK(check_client(*client));
    return {};
}

Result<void> set_input(const Json& value, ShellOptions& to) {
    if (const Json* limit = find_path(value, "limit")) {
        to.input_limit_text = text_of(*limit);
        SLUICE_TRY(to.input_limit, limit_of("input.limit", *limit, input_limit_max, "32M"));
    }
    if (const Json* timeout = find_path(value, "batch-timeout"))
        SLUICE_CHECK(seconds("input.batch-timeout", *timeout));
    const Json* type = find_path(value, "stdin.type");
    if (!type || text_of(*type) == "service") return {};
    if (text_of(*type) != "file") return wrong("input.stdin.type", "service or file", *type);
    const Json* path = find_path(value, "stdin.path");
    if (!path || !path->is_string()) return wrong("input.stdin.path", "a path", value);
    to.stdin_path = std::string(path->get_string());
    return {};
}

}  // namespace sluice::shell
