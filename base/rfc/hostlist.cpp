// RFC 29 - see hostlist.hpp.
#include "base/rfc/hostlist.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <tuple>

namespace sluice {
namespace {

constexpr std::size_t hosts_max = std::size_t{1} << 20;
constexpr std::size_t digits_max = 18;  // longer numbers are taken as text
constexpr std::string_view separators = ", \t\r\n";

/// A host name taken apart: "blade07" is prefix "blade", digits "07", value 7.
struct SplitName {
    std::string_view prefix, digits;
    std::uint64_t value = 0;
    bool numbered() const { return !digits.empty(); }
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::uint64_t number(std::string_view digits) {
    std::uint64_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
}

SplitName split(std::string_view host) {
    std::size_t at = host.size();
    while (at > 0 && is_digit(host[at - 1])) --at;
    if (host.size() - at > digits_max) return {host, {}, 0};
    return {host.substr(0, at), host.substr(at), number(host.substr(at))};
}

/// Width to which a list's numbers are padded: leading zeros of its first number fix it.
std::size_t pad_width(std::string_view first_digits) {
    return first_digits.size() > 1 && first_digits.front() == '0' ? first_digits.size() : 0;
}

void append_padded(std::string& out, std::uint64_t value, std::size_t width) {
    char digits[20];
    const auto size =
        static_cast<std::size_t>(std::to_chars(digits, std::end(digits), value).ptr - digits);
    if (size < width) out.append(width - size, '0');
    out.append(digits, size);
}

/// Is a number written as append_padded() writes it?
bool is_padded(std::string_view digits, std::size_t width) {
    const std::size_t least = std::max<std::size_t>(width, 1);
    return digits.size() == least || (digits.size() > least && digits.front() != '0');
}

Result<void> check_room(std::size_t have, std::uint64_t more) {
    if (more > hosts_max - have)
        return fail(EINVAL, "hostlist: over {} hosts; give shorter ranges", hosts_max);
    return {};
}

/// One "prefix[idlist]suffix", with the idlist's text apart.
struct Expression {
    std::string_view whole, prefix, idlist, suffix;
};

Error bad(const Expression& expression, std::string_view what) {
    return fail(EINVAL, "hostlist '{}': {}", expression.whole, what);
}

/// Adds the hosts of one id or range of the idlist.
Result<void> add_range(const Expression& expression, std::string_view text, std::size_t width,
                       std::vector<std::string>& hosts) {
    const std::size_t dash = text.find('-');
    const std::string_view low = text.substr(0, dash);
    const std::string_view high = dash == std::string_view::npos ? low : text.substr(dash + 1);
    for (const std::string_view digits : {low, high}) {
        if (digits.empty() || !std::ranges::all_of(digits, is_digit))
            return bad(expression, fmt::format("'{}' is not a number or range", text));
        if (digits.size() > digits_max)
            return bad(expression, fmt::format("number '{}' is too large", digits));
    }
    const std::uint64_t first = number(low), last = number(high);
    if (last < first) return bad(expression, fmt::format("range '{}' descends", text));
    SLUICE_CHECK(check_room(hosts.size(), last - first + 1));
    std::string host{expression.prefix};
    for (std::uint64_t value = first; value <= last; ++value) {
        host.resize(expression.prefix.size());
        append_padded(host, value, width);
        host += expression.suffix;
        hosts.push_back(host);
    }
    return {};
}

Result<void> add_expression(std::string_view text, std::vector<std::string>& hosts) {
    const std::size_t open = text.find('['), close = text.find(']');
    if (open == std::string_view::npos && close == std::string_view::npos) {
        SLUICE_CHECK(check_room(hosts.size(), 1));
        hosts.emplace_back(text);
        return {};
    }
    Expression expression{text, {}, {}, {}};
    if (open == std::string_view::npos || close == std::string_view::npos || close < open ||
        text.find_first_of("[]", open + 1) != close ||
        text.find_first_of("[]", close + 1) != std::string_view::npos)
        return bad(expression, "brackets do not pair; one [list] a name");
    expression.prefix = text.substr(0, open);
    expression.idlist = text.substr(open + 1, close - open - 1);
    expression.suffix = text.substr(close + 1);
    const std::size_t width =
        pad_width(expression.idlist.substr(0, expression.idlist.find_first_of(",-")));
    std::string_view rest = expression.idlist;
    for (;;) {
        const std::size_t comma = rest.find(',');
        SLUICE_CHECK(add_range(expression, rest.substr(0, comma), width, hosts));
        if (comma == std::string_view::npos) return {};
        rest.remove_prefix(comma + 1);
    }
}

/// End of the expression at `at`: the next separator outside brackets.
std::size_t expression_end(std::string_view text, std::size_t at) {
    bool inside = false;
    for (; at < text.size(); ++at) {
        if (text[at] == '[') inside = true;
        if (text[at] == ']') inside = false;
        if (!inside && separators.find(text[at]) != std::string_view::npos) break;
    }
    return at;
}

/// Hosts [from, to) of one prefix, written "prefix[1-3,7]", or plain when it is one host.
void append_group(std::string& out, const std::vector<std::string>& hosts, std::size_t from,
                  std::size_t to) {
    if (!out.empty()) out += ',';
    if (to - from == 1) {
        out += hosts[from];
        return;
    }
    out += split(hosts[from]).prefix;
    out += '[';
    for (std::size_t i = from; i < to;) {
        std::size_t end = i + 1;
        const SplitName first = split(hosts[i]);
        while (end < to && split(hosts[end]).value == first.value + (end - i)) ++end;
        if (i > from) out += ',';
        out += first.digits;
        if (end - i > 1) {
            out += '-';
            out += split(hosts[end - 1]).digits;
        }
        i = end;
    }
    out += ']';
}

/// Sort key: by prefix, then number, then the spelling of the number.
auto sort_key(const std::string& host) {
    const SplitName name = split(host);
    return std::tuple{name.prefix, name.numbered(), name.value, name.digits};
}

}  // namespace

Result<Hostlist> Hostlist::parse(std::string_view text) {
    std::vector<std::string> hosts;
    for (std::size_t at = 0; at < text.size();) {
        if (separators.find(text[at]) != std::string_view::npos) {
            ++at;
            continue;
        }
        const std::size_t end = expression_end(text, at);
        SLUICE_CHECK(add_expression(text.substr(at, end - at), hosts));
        at = end;
    }
    return Hostlist{std::move(hosts)};
}

std::string Hostlist::to_string() const {
    std::string out;
    for (std::size_t from = 0; from < hosts_.size();) {
        const SplitName first = split(hosts_[from]);
        const std::size_t width = pad_width(first.digits);
        std::size_t to = from + 1;
        for (; first.numbered() && to < hosts_.size(); ++to) {
            const SplitName next = split(hosts_[to]);
            const bool fits = next.numbered() && next.prefix == first.prefix &&
                              is_padded(next.digits, width);
            if (!fits) break;
        }
        append_group(out, hosts_, from, to);
        from = to;
    }
    return out;
}

std::optional<std::size_t> Hostlist::find(std::string_view host) const {
    const auto found = std::ranges::find(hosts_, host);
    if (found == hosts_.end()) return std::nullopt;
    return found - hosts_.begin();
}

void Hostlist::append(const Hostlist& other) {
    hosts_.insert(hosts_.end(), other.hosts_.begin(), other.hosts_.end());
}

void Hostlist::sort() { std::ranges::sort(hosts_, {}, sort_key); }

void Hostlist::uniq() {
    sort();
    hosts_.erase(std::unique(hosts_.begin(), hosts_.end()), hosts_.end());
}

}  // namespace sluice
