#include "cmd/options/shell_words.hpp"

#include <cctype>

namespace sluice {
namespace {

bool is_space(char c) {
    return std::isspace(static_cast<unsigned char>(c));
}

class WordSplitter {
  public:
    explicit WordSplitter(std::string_view text) : text_(text) {}

    Result<std::vector<std::string>> split() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (is_space(c)) {
                end_word();
                ++at_;
            } else if (c == '#' && !in_word_) {
                at_ = std::min(text_.find('\n', at_), text_.size());
            } else {
                in_word_ = true;
                SLUICE_CHECK(take());
            }
        }
        end_word();
        return std::move(words_);
    }

  private:
    /// One character, escape or quoted part of a word.
    Result<void> take() {
        const char c = text_[at_++];
        if (c == '\\') {
            if (at_ == text_.size()) return fail(EINVAL, "No escaped character");
            word_ += text_[at_++];
        } else if (c == '\'') {
            const std::size_t close = text_.find('\'', at_);
            if (close == std::string_view::npos) return fail(EINVAL, "No closing quotation");
            word_ += text_.substr(at_, close - at_);
            at_ = close + 1;
        } else if (c == '"') {
            return take_double_quoted();
        } else {
            word_ += c;
        }
        return {};
    }

    Result<void> take_double_quoted() {
        while (at_ < text_.size()) {
            const char c = text_[at_++];
            if (c == '"') return {};
            const char next = at_ < text_.size() ? text_[at_] : 0;
            if (c == '\\' && (next == '"' || next == '\\')) {
                word_ += next;
                ++at_;
            } else {
                word_ += c;
            }
        }
        return fail(EINVAL, "No closing quotation");
    }

    void end_word() {
        if (in_word_) words_.push_back(std::move(word_));
        word_.clear();
        in_word_ = false;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    bool in_word_ = false;
    std::string word_;
    std::vector<std::string> words_;
};

}  // namespace

Result<std::vector<std::string>> split_shell_words(std::string_view text) {
    return WordSplitter(text).split();
}

std::string quote_shell_word(std::string_view word) {
    const auto safe = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) ||
               std::string_view("@%+=:,./-_").find(c) != std::string_view::npos;
    };
    bool plain = !word.empty();
    for (const char c : word) plain = plain && safe(c);
    if (plain) return std::string{word};
    std::string out = "'";
    for (const char c : word) out += c == '\'' ? "'\"'\"'" : std::string{c};
    return out + "'";
}

}  // namespace sluice
