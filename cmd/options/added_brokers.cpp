#include "cmd/options/added_brokers.hpp"

#include <charconv>

#include "base/rfc/idset.hpp"

namespace sluice {
namespace {

Result<std::int64_t> parse_count(std::string_view option, const std::string& text) {
    std::int64_t number = 0;
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, number);
    if (parsed.ec != std::errc{} || parsed.ptr != end || number < 0 || number > INT32_MAX)
        return fail(EINVAL, "--{}: invalid int value '{}'", option, text);
    return number;
}

}  // namespace

std::string AddedBrokers::taskmap() const {
    std::string map = fmt::format("[[0,1,{},1]", count + 1);
    if (nodes > 1) map += fmt::format(",[1,{},1,1]", nodes - 1);
    return map + "]";
}

Result<void> AddedBrokers::exclude_in(Json& conf) const {
    if (!conf.is_object()) conf.emplace_object();
    Idset ranks;
    if (const Json* given = find_path(conf, "resource.exclude")) {
        // --conf=resource.exclude=7 makes a number of it
        const std::string text =
            given->is_string() ? std::string{given->get_string()} : dump_json(*given);
        auto parsed = Idset::parse(text);
        if (!parsed)
            return fail(EINVAL, "--add-brokers: resource.exclude='{}' must be ranks", text);
        ranks = *std::move(parsed);
    }
    ranks.insert(1, static_cast<Idset::Id>(count));
    set_path(conf.get_object(), "resource.exclude", Json(ranks.to_string()));
    return {};
}

Result<std::optional<AddedBrokers>> add_brokers_option(const SubmitOptions& options) {
    const auto text = options.last("add-brokers");
    if (!text) return std::optional<AddedBrokers>{};
    SLUICE_TRY(const std::int64_t count, parse_count("add-brokers", *text));
    if (count == 0) return std::optional<AddedBrokers>{};
    const auto nodes = options.last("nodes");
    if (!nodes) return fail(EINVAL, "--add-brokers may only be specified with -N, --nnodes");
    SLUICE_TRY(const std::int64_t node_count, parse_count("nodes", *nodes));
    return std::optional{AddedBrokers{node_count, count}};
}

}  // namespace sluice
