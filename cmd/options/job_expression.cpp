#include "cmd/options/job_expression.hpp"

#include <charconv>
#include <memory>
#include <optional>
#include <regex>

#include "base/rfc/fluid.hpp"
#include "base/rfc/fsd.hpp"
#include "base/rfc/hostlist.hpp"
#include "base/rfc/idset.hpp"

namespace sluice {

namespace {

constexpr int depth_max = 64;

/// Position of the ']' that ends the character set at `at`, as Python's re sees it.
std::size_t set_end(std::string_view pattern, std::size_t at) {
    std::size_t i = at + 1;
    if (i < pattern.size() && pattern[i] == '^') ++i;
    if (i < pattern.size() && pattern[i] == ']') ++i;
    for (; i < pattern.size() && pattern[i] != ']'; ++i)
        if (pattern[i] == '\\') ++i;
    return i;
}

/// The faults that people make, in the words of the reference.
std::optional<std::string> pattern_fault(std::string_view pattern) {
    std::vector<std::size_t> open;
    bool repeatable = false;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        const char c = pattern[i];
        if (c == '\\') {
            if (i + 1 == pattern.size())
                return fmt::format("bad escape (end of pattern) at position {}", i);
            ++i;
        } else if (c == '[') {
            const std::size_t end = set_end(pattern, i);
            if (end >= pattern.size())
                return fmt::format("unterminated character set at position {}", i);
            i = end;
        } else if (c == '(') {
            open.push_back(i);
        } else if (c == ')') {
            if (open.empty()) return fmt::format("unbalanced parenthesis at position {}", i);
            open.pop_back();
        } else if (c == '*' || c == '+' || c == '?') {
            const bool group_mark = c == '?' && i > 0 && pattern[i - 1] == '(';
            if (!repeatable && !group_mark)
                return fmt::format("nothing to repeat at position {}", i);
        }
        repeatable = c != '(' && c != '|' && c != '^';
    }
    if (open.empty()) return std::nullopt;
    return fmt::format("missing ), unterminated subpattern at position {}", open.back());
}

using Matcher = std::function<bool(const std::string&)>;

Result<Matcher> parse_pattern(const std::string& pattern) {
    if (const auto fault = pattern_fault(pattern)) return fail(EINVAL, "{}", *fault);
    try {
        auto regex = std::make_shared<const std::regex>(pattern, std::regex::ECMAScript);
        return Matcher{
            [regex](const std::string& text) { return std::regex_search(text, *regex); }};
    } catch (const std::regex_error& error) {  // the library's only way to refuse a pattern
        return fail(EINVAL, "{}: {}", pattern, error.what());
    }
}

struct Range {
    double low = 0, high = 0;
};

Result<double> parse_bound(std::string_view name, std::string_view text) {
    const auto number = fsd_parse(text);
    if (!number) return fail(EINVAL, "{}: expected integer or float, got '{}'", name, text);
    return *number;
}

Result<Range> parse_range(std::string_view name, std::string_view text) {
    const std::size_t dots = text.find("..");
    Range range;
    SLUICE_TRY(range.low, parse_bound(name, text.substr(0, dots)));
    range.high = range.low;
    if (dots != text.npos) {
        SLUICE_TRY(range.high, parse_bound(name, text.substr(dots + 2)));
    }
    return range;
}

Result<JobPredicate> host_term(const std::string& value) {
    SLUICE_TRY(const Hostlist wanted, Hostlist::parse(value));
    return JobPredicate{[wanted](const JobRow& job) {
        const auto hosts = Hostlist::parse(job.text("nodelist"));
        if (!hosts) return false;
        for (const std::string& host : hosts->hosts())
            if (wanted.contains(host)) return true;
        return false;
    }};
}

Result<JobPredicate> rank_term(const std::string& value) {
    SLUICE_TRY(const Idset wanted, Idset::parse(value));
    return JobPredicate{[wanted](const JobRow& job) {
        const auto ranks = Idset::parse(job.text("ranks"));
        return ranks && !(*ranks & wanted).empty();
    }};
}

Result<JobPredicate> pattern_term(const std::string& name, const std::string& value) {
    SLUICE_TRY(const Matcher matches, parse_pattern(value));
    return JobPredicate{[name, matches](const JobRow& job) { return matches(job.text(name)); }};
}

/// Recursive descent over the words.
class ExpressionParser {
  public:
    explicit ExpressionParser(const std::vector<std::string>& words) : words_(words) {}

    Result<JobPredicate> parse() {
        SLUICE_TRY(JobPredicate whole, either(depth_max));
        if (at_ < words_.size()) return fail(EINVAL, "Unexpected '{}'", words_[at_]);
        return whole;
    }

  private:
    bool at(std::string_view word) const { return at_ < words_.size() && words_[at_] == word; }

    Result<JobPredicate> either(int depth) {
        SLUICE_TRY(JobPredicate left, both(depth));
        while (at("or") || at("|")) {
            ++at_;
            SLUICE_TRY(JobPredicate right, both(depth));
            left = [left, right](const JobRow& job) { return left(job) || right(job); };
        }
        return left;
    }

    Result<JobPredicate> both(int depth) {
        SLUICE_TRY(JobPredicate left, negated(depth));
        while (at_ < words_.size() && !at("or") && !at("|") && !at(")")) {
            if (at("and") || at("&")) ++at_;
            SLUICE_TRY(JobPredicate right, negated(depth));
            left = [left, right](const JobRow& job) { return left(job) && right(job); };
        }
        return left;
    }

    Result<JobPredicate> negated(int depth) {
        if (depth == 0) return fail(EINVAL, "nested more than {} levels deep", depth_max);
        if (at_ >= words_.size()) return fail(EINVAL, "Unexpected end of expression");
        if (at("not")) {
            ++at_;
            SLUICE_TRY(JobPredicate inner, negated(depth - 1));
            return JobPredicate{[inner](const JobRow& job) { return !inner(job); }};
        }
        if (at("(")) {
            ++at_;
            SLUICE_TRY(JobPredicate inner, either(depth - 1));
            if (!at(")")) return fail(EINVAL, "missing ')'");
            ++at_;
            return inner;
        }
        return term(words_[at_++]);
    }

    Result<JobPredicate> term(const std::string& word) {
        const std::size_t colon = word.find(':');
        const std::string name = colon == word.npos ? "name" : word.substr(0, colon);
        const std::string value = colon == word.npos ? word : word.substr(colon + 1);
        if (colon == word.npos && std::exchange(has_pattern_, true))
            return fail(EINVAL, "Only one pattern can be provided");
        if (name == "name" || name == "cwd") return pattern_term(name, value);
        if (name == "host" || name == "hosts") return host_term(value);
        if (name == "rank" || name == "ranks") return rank_term(value);
        if (name == "jobid") {
            const auto id = fluid_decode(value);
            if (!id) return fail(EINVAL, "{} is not a valid Flux jobid", value);
            return JobPredicate{[id = *id](const JobRow& job) { return job.id() == id; }};
        }
        if (name == "ntasks" || name == "nnodes" || name == "ncores" || name == "duration") {
            SLUICE_TRY(const Range range, parse_range(name, value));
            return JobPredicate{[name, range](const JobRow& job) {
                const double number = job.real(name);
                return job.has(name) && number >= range.low && number <= range.high;
            }};
        }
        return fail(EINVAL,
                    "unknown term '{}'; terms are name, cwd, jobid, host, rank, ntasks, "
                    "nnodes, ncores, duration",
                    name);
    }

    const std::vector<std::string>& words_;
    std::size_t at_ = 0;
    bool has_pattern_ = false;
};

}  // namespace

Result<JobPredicate> parse_job_expression(const std::vector<std::string>& words) {
    return ExpressionParser{words}.parse();
}

}  // namespace sluice
