// Writing JSON text piece by piece, where building a document first would cost too much. The same
// spelling as dump_json.
#pragma once

#include <charconv>
#include <concepts>
#include <string>
#include <string_view>

#include "base/json.hpp"

namespace sluice {

void append_json(std::string& out, std::string_view text);
void append_json(std::string& out, double real);
void append_json(std::string& out, const JsonObject& object);
inline void append_json(std::string& out, std::same_as<bool> auto value) {
    out += value ? "true" : "false";
}
template <std::integral Int>
    requires(!std::same_as<Int, bool>)
void append_json(std::string& out, Int value) {
    char buffer[24];
    out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

}  // namespace sluice
