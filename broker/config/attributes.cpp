#include "broker/config/attributes.hpp"

#include <charconv>
#include <cmath>

#include "base/assert.hpp"
#include "base/rfc/fsd.hpp"

namespace sluice {
namespace {

const AttrRow* find_row(std::string_view name) {
    for (const AttrRow& row : attribute_rows()) {
        if (row.name == name) return &row;
        if (row.name.ends_with(".*") && name.size() >= row.name.size() &&
            name.starts_with(row.name.substr(0, row.name.size() - 1)))
            return &row;
    }
    return nullptr;
}

Result<void> check_value(const AttrRow& row, std::string_view name, std::string_view value) {
    if (!row.check) return {};
    const Result<void> checked = row.check(value);
    return checked ? Result<void>{} : Result<void>{checked.error().in(name)};
}

std::optional<std::string> config_text(const Json& value) {
    if (const auto* text = value.if_string()) return std::string{*text};
    if (const auto number = as_integer(value)) return std::to_string(*number);
    if (value.is_bool()) return value.get_bool() ? "1" : "0";
    return std::nullopt;
}

}  // namespace

Attributes::Attributes() {
    for (const AttrRow& row : attribute_rows())
        if (row.initial) entries_[std::string{row.name}].value = row.initial;
}

Result<void> Attributes::set_from_command_line(std::string_view assignment) {
    const std::size_t equals = assignment.find('=');
    const std::string name{assignment.substr(0, equals)};
    const AttrRow* row = find_row(name);
    if (!row) return fail(ENOENT, "{}: unknown attribute", name);
    if (!(row->rules & attr_rule::command_line))
        return fail(EPERM, "{}: attribute may not be set on the command line", name);
    Entry entry{.value = std::nullopt, .command_line = true};
    if (equals != std::string_view::npos) {
        entry.value = assignment.substr(equals + 1);
        SLUICE_CHECK(check_value(*row, name, *entry.value));
    }
    entries_[name] = std::move(entry);
    return {};
}

Result<void> Attributes::apply_config(const JsonObject& config) {
    for (const AttrRow& row : attribute_rows()) {
        if (!(row.rules & attr_rule::config) || set_by_command_line(row.name)) continue;
        const Json* value = find_path(config, row.name);
        if (!value) continue;
        const auto text = config_text(*value);
        if (!text)
            return fail(EINVAL, "{}: found {}, wanted a string or a number", row.name,
                        json_type_name(*value));
        SLUICE_CHECK(check_value(row, row.name, *text));
        entries_[std::string{row.name}].value = *text;
    }
    return {};
}

void Attributes::set(std::string_view name, std::optional<std::string> value) {
    SLUICE_ASSERT(find_row(name) != nullptr);
    Entry& entry = entries_[std::string{name}];
    entry.value = std::move(value);
    notify(std::string{name}, entry.value.value_or(""));
}

Result<void> Attributes::update(std::string_view name, std::string_view value, bool force) {
    const AttrRow* row = find_row(name);
    if (!row) return fail(ENOENT, "unknown attribute");
    const auto found = entries_.find(name);
    if (found != entries_.end() && !(row->rules & attr_rule::runtime) && !force)
        return fail(EINVAL, "attribute may not be updated");
    const bool prefix_row = row->name != name;  // such a name may be given a value once
    if ((row->rules & attr_rule::immutable) && (!prefix_row || found != entries_.end()))
        return Error{EPERM};
    SLUICE_CHECK(check_value(*row, name, value));
    set(name, std::string{value});
    return {};
}

Result<void> Attributes::remove(std::string_view name) {
    const auto found = entries_.find(name);
    if (found == entries_.end()) return {};
    if (immutable(name)) return Error{EPERM};
    entries_.erase(found);
    return {};
}

std::optional<std::string> Attributes::find(std::string_view name) const {
    const auto found = entries_.find(name);
    return found == entries_.end() ? std::nullopt : found->second.value;
}

std::string Attributes::get_or(std::string_view name, std::string fallback) const {
    return find(name).value_or(std::move(fallback));
}

std::int64_t Attributes::integer_or(std::string_view name, std::int64_t fallback) const {
    const auto text = find(name);
    std::int64_t number = 0;
    if (!text) return fallback;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
    return error == std::errc{} ? number : fallback;
}

std::optional<double> Attributes::seconds(std::string_view name) const {
    const auto text = find(name);
    if (!text || *text == "none") return std::nullopt;
    const Result<double> value = fsd_parse(*text);
    if (!value || std::isinf(*value)) return std::nullopt;
    return *value;
}

bool Attributes::set_by_command_line(std::string_view name) const {
    const auto found = entries_.find(name);
    return found != entries_.end() && found->second.command_line;
}

bool Attributes::immutable(std::string_view name) const {
    const AttrRow* row = find_row(name);
    return row && (row->rules & attr_rule::immutable);
}

std::vector<std::string> Attributes::names() const {
    std::vector<std::string> names;
    for (const auto& [name, entry] : entries_) names.push_back(name);
    return names;
}

void Attributes::watch(std::string prefix, OnChange on_change) {
    watchers_.emplace_back(std::move(prefix), std::move(on_change));
}

void Attributes::notify(const std::string& name, const std::string& value) const {
    for (const auto& [prefix, on_change] : watchers_)
        if (name.starts_with(prefix)) on_change(name, value);
}

}  // namespace sluice
