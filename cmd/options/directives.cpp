#include "cmd/options/directives.hpp"

#include <cctype>
#include <optional>

#include "cmd/options/shell_words.hpp"

namespace sluice {
namespace {

constexpr std::string_view blanks = " \t\r\f\v";

std::string_view trim_right(std::string_view text) {
    const std::size_t end = text.find_last_not_of(blanks);
    return text.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

std::string_view trim(std::string_view text) {
    const std::size_t start = text.find_first_not_of(blanks);
    return start == std::string_view::npos ? "" : trim_right(text.substr(start));
}

/// A line that holds a directive: sentinel (prefix and tag) and what follows it.
struct Sentinel {
    std::string_view prefix, tag, rest;
    std::string text() const { return std::string{prefix} + std::string{tag}; }
};

std::optional<Sentinel> sentinel_of(std::string_view line) {
    const auto is_word = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80);
    };
    std::size_t end = 0;
    while (end < line.size() && !is_word(line[end])) ++end;
    for (const std::string_view tag : {"flux:", "FLUX:"})
        if (line.substr(end).starts_with(tag))
            return Sentinel{line.substr(0, end), line.substr(end, tag.size()),
                            line.substr(end + tag.size())};
    return std::nullopt;
}

std::string without_common_indent(const std::vector<std::string>& lines) {
    std::size_t indent = std::string::npos;
    for (const std::string& line : lines)
        if (const std::size_t first = line.find_first_not_of(blanks); first != std::string::npos)
            indent = std::min(indent, first);
    std::string out;
    for (const std::string& line : lines) out += line.substr(std::min(indent, line.size())) + "\n";
    return out;
}

class DirectiveParser {
  public:
    Result<std::vector<Directive>> parse(std::string_view script) {
        while (!script.empty()) {
            ++line_;
            const std::size_t end = std::min(script.find('\n'), script.size());
            SLUICE_CHECK(take_line(script.substr(0, end)));
            script.remove_prefix(std::min(end + 1, script.size()));
        }
        return std::move(directives_);
    }

  private:
    Result<void> take_line(std::string_view line) {
        const std::optional<Sentinel> sentinel = sentinel_of(line);
        if (!sentinel) return take_other(line);
        if (sentinel_.empty()) {
            sentinel_ = sentinel->text();
            prefix_ = trim_right(sentinel->prefix);
        } else if (disabled_after_) {
            return fail(EINVAL, "line {}: orphan '{}' detected: directives disabled after line {}",
                        line_, sentinel->tag, disabled_after_);
        } else if (sentinel->text() != sentinel_) {
            return fail(EINVAL,
                        "line {}: sentinel changed from '{}' to '{}'; use the same prefix for "
                        "all directives",
                        line_, sentinel_, sentinel->text());
        }
        return quote_.empty() ? take_directive(sentinel->rest) : continue_quote(sentinel->rest);
    }

    /// A line without a directive ends the block unless it is blank or of the same prefix.
    Result<void> take_other(std::string_view line) {
        if (!quote_.empty())
            return fail(EINVAL, "unterminated multi-line quote at line {}: {}", quote_line_,
                        quote_head_);
        const bool blank = trim(line).empty();
        if (sentinel_.empty() || disabled_after_ || blank) return {};
        if (!line.starts_with(prefix_)) disabled_after_ = line_;
        return {};
    }

    Result<void> take_directive(std::string_view rest) {
        const std::string_view text = trim(rest);
        for (const std::string_view quote : {"'''", "\"\"\""}) {
            if (!text.ends_with(quote) || text.find(quote) != text.size() - quote.size()) continue;
            quote_ = quote;
            quote_line_ = line_;
            quote_head_ = text.substr(0, text.size() - quote.size());
            return {};
        }
        return add(text, line_);
    }

    Result<void> continue_quote(std::string_view rest) {
        const std::string_view text = trim_right(rest);
        if (!text.ends_with(quote_)) {
            quoted_.emplace_back(rest);
            return {};
        }
        const std::string_view last = text.substr(0, text.size() - quote_.size());
        if (!trim(last).empty()) quoted_.emplace_back(last);
        const std::string word = quote_head_ + literal(without_common_indent(quoted_));
        quote_.clear();
        quoted_.clear();
        return add(word, quote_line_);
    }

    /// `text` as one quoted part of a shell word.
    static std::string literal(std::string_view text) {
        std::string out = "'";
        for (const char c : text) out += c == '\'' ? "'\"'\"'" : std::string{c};
        return out + "'";
    }

    /// Triple-quoted parts on one line are literal.
    static Result<std::string> with_literals(std::string_view text) {
        std::string out;
        for (;;) {
            const std::size_t start = std::min(text.find("'''"), text.find("\"\"\""));
            if (start == std::string_view::npos) return out + std::string{text};
            const std::string_view quote = text.substr(start, 3);
            const std::size_t end = text.find(quote, start + 3);
            if (end == std::string_view::npos) return fail(EINVAL, "unclosed triple quote");
            out += text.substr(0, start);
            out += literal(text.substr(start + 3, end - start - 3));
            text.remove_prefix(end + 3);
        }
    }

    Result<void> add(std::string_view text, int line) {
        const std::string where = fmt::format("line {}", line);
        const Result<std::string> lexed = with_literals(text);
        if (!lexed) return lexed.error().in(where);
        Result<std::vector<std::string>> words = split_shell_words(*lexed);
        if (!words) return words.error().in(where);
        if (words->empty()) return {};
        if (!words->front().starts_with('-'))
            return fail(EINVAL, "{}: Unknown directive: {}", where, trim(text));
        directives_.push_back({line, *std::move(words)});
        return {};
    }

    int line_ = 0;
    int disabled_after_ = 0;
    std::string sentinel_, prefix_;
    std::string quote_, quote_head_;  // while a multi-line quote is open
    int quote_line_ = 0;
    std::vector<std::string> quoted_;
    std::vector<Directive> directives_;
};

}  // namespace

Result<std::vector<Directive>> parse_directives(std::string_view script) {
    return DirectiveParser().parse(script);
}

}  // namespace sluice
