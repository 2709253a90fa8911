#include "cmd/options/requires.hpp"

#include <cctype>
#include <optional>

namespace sluice {
namespace {

constexpr int depth_max = 64;

struct Token {
    enum class Kind { end, open, close, and_, or_, not_, term } kind = Kind::end;
    std::string text;  // of a term, quotes removed
};

bool is_space(char c) {
    return std::isspace(static_cast<unsigned char>(c));
}

class Lexer {
  public:
    explicit Lexer(std::string_view text) : text_(text) {}

    Result<Token> next() {
        using enum Token::Kind;
        while (at_ < text_.size() && is_space(text_[at_])) ++at_;
        if (at_ == text_.size()) return Token{end, {}};
        const char c = text_[at_];
        if (c == '(' || c == ')') {
            ++at_;
            return Token{c == '(' ? open : close, {}};
        }
        if (c == '&' || c == '|') {
            while (at_ < text_.size() && text_[at_] == c) ++at_;
            return Token{c == '&' ? and_ : or_, {}};
        }
        return word();
    }

  private:
    Result<Token> word() {
        using enum Token::Kind;
        std::string word;
        bool quoted = false;
        while (at_ < text_.size() && !is_space(text_[at_]) &&
               std::string_view("()&|").find(text_[at_]) == std::string_view::npos) {
            const char c = text_[at_++];
            if (c != '"' && c != '\'') {
                word += c;
                continue;
            }
            const std::size_t close = text_.find(c, at_);
            if (close == std::string_view::npos)
                return fail(EINVAL, "Unclosed quote in '{}'", text_);
            word += text_.substr(at_, close - at_);
            at_ = close + 1;
            quoted = true;
        }
        if (!quoted) {
            if (word == "and") return Token{and_, {}};
            if (word == "or") return Token{or_, {}};
            if (word == "not") return Token{not_, {}};
        }
        return Token{term, std::move(word)};
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

JsonObject single(std::string_view key, Json value) {
    JsonArray values;
    values.push_back(std::move(value));
    JsonObject object;
    object[key] = std::move(values);
    return object;
}

JsonArray* values_of(JsonObject& object, std::string_view key) {
    Json* values = object.if_contains(key);
    return values ? values->if_array() : nullptr;
}

/// Appends the values of `from`'s only member to that of `to`.
void move_values(JsonObject& to, JsonObject& from, std::string_view key) {
    for (Json& value : from[key].as_array()) to[key].as_array().push_back(std::move(value));
}

/// a and b; neighbouring property terms become one.
JsonObject both(JsonObject a, JsonObject b) {
    if (!values_of(a, "and")) {
        if (values_of(a, "properties") && values_of(b, "properties")) {
            move_values(a, b, "properties");
            return a;
        }
        a = single("and", Json(std::move(a)));
    }
    JsonArray& list = *values_of(a, "and");
    JsonObject& last = list.back().as_object();
    if (values_of(b, "and"))
        move_values(a, b, "and");
    else if (values_of(last, "properties") && values_of(b, "properties"))
        move_values(last, b, "properties");
    else
        list.push_back(std::move(b));
    return a;
}

JsonObject either(JsonObject a, JsonObject b) {
    if (!values_of(a, "or")) a = single("or", Json(std::move(a)));
    if (values_of(b, "or"))
        move_values(a, b, "or");
    else
        values_of(a, "or")->push_back(std::move(b));
    return a;
}

/// Recursive descent; precedence: not, and (also by juxtaposition), or.
class Parser {
  public:
    explicit Parser(std::string_view text) : text_(text), lexer_(text) {}

    Result<JsonObject> parse() {
        SLUICE_CHECK(advance());
        SLUICE_TRY(JsonObject result, expression(0));
        if (token_.kind != Token::Kind::end) return fail(EINVAL, "Unmatched ')' in '{}'", text_);
        return result;
    }

  private:
    Result<void> advance() {
        SLUICE_TRY(token_, lexer_.next());
        return {};
    }

    Result<JsonObject> expression(int depth) {
        SLUICE_TRY(JsonObject left, conjunction(depth));
        while (token_.kind == Token::Kind::or_) {
            SLUICE_CHECK(advance());
            SLUICE_TRY(JsonObject right, conjunction(depth));
            left = either(std::move(left), std::move(right));
        }
        return left;
    }

    Result<JsonObject> conjunction(int depth) {
        SLUICE_TRY(JsonObject left, factor(depth));
        for (;;) {
            switch (token_.kind) {
                case Token::Kind::end:
                case Token::Kind::close:
                case Token::Kind::or_:
                    return left;
                case Token::Kind::and_:
                    SLUICE_CHECK(advance());
                    break;
                case Token::Kind::open:
                case Token::Kind::not_:
                case Token::Kind::term:
                    break;
            }
            SLUICE_TRY(JsonObject right, factor(depth));
            left = both(std::move(left), std::move(right));
        }
    }

    Result<JsonObject> factor(int depth) {
        if (depth == depth_max) return fail(EINVAL, "nested too deeply in '{}'", text_);
        switch (token_.kind) {
            case Token::Kind::end:
                return fail(EINVAL, "Unexpected end of input in '{}'", text_);
            case Token::Kind::close:
            case Token::Kind::and_:
            case Token::Kind::or_:
                return fail(EINVAL, "Operator without operand in '{}'", text_);
            case Token::Kind::not_: {
                SLUICE_CHECK(advance());
                SLUICE_TRY(JsonObject inner, factor(depth + 1));
                return single("not", Json(std::move(inner)));
            }
            case Token::Kind::open: {
                SLUICE_CHECK(advance());
                SLUICE_TRY(JsonObject inner, expression(depth + 1));
                if (token_.kind != Token::Kind::close)
                    return fail(EINVAL, "Unclosed parenthesis in '{}'", text_);
                SLUICE_CHECK(advance());
                return inner;
            }
            case Token::Kind::term:
                return term();
        }
        return fail(EINVAL, "Syntax error in '{}'", text_);
    }

    Result<JsonObject> term() {
        std::string_view word = token_.text;
        const bool negated = word.starts_with('-');
        if (negated) word.remove_prefix(1);
        if (word.empty()) return fail(EINVAL, "Empty term in '{}'", text_);
        JsonObject constraint;
        const std::size_t colon = word.find(':');
        std::string_view op = colon == std::string_view::npos ? "" : word.substr(0, colon);
        if (op.empty()) op = "properties";
        if (op == "host" || op == "hosts") op = "hostlist";
        if (op == "rank") op = "ranks";
        std::string_view operand = colon == std::string_view::npos ? word : word.substr(colon + 1);
        if (operand.empty()) return fail(EINVAL, "Missing operand of '{}' in '{}'", op, text_);
        constraint = op == "properties" ? properties(operand) : single(op, Json(operand));
        if (negated) constraint = single("not", Json(std::move(constraint)));
        SLUICE_CHECK(advance());
        return constraint;
    }

    static JsonObject properties(std::string_view operand) {
        JsonArray names;
        while (!operand.empty()) {
            const std::size_t comma = std::min(operand.find(','), operand.size());
            if (comma > 0) names.push_back(Json(operand.substr(0, comma)));
            operand.remove_prefix(std::min(comma + 1, operand.size()));
        }
        JsonObject constraint;
        constraint["properties"] = std::move(names);
        return constraint;
    }

    std::string_view text_;
    Lexer lexer_;
    Token token_;
};

}  // namespace

Result<JsonObject> parse_requires(std::string_view expression) {
    return Parser(expression).parse();
}

Result<JsonObject> parse_requires(const std::vector<std::string>& expressions) {
    std::optional<JsonObject> all;
    for (const std::string& expression : expressions) {
        SLUICE_TRY(JsonObject one, parse_requires(expression));
        all = all ? both(std::move(*all), std::move(one)) : std::move(one);
    }
    return all ? std::move(*all) : JsonObject{};
}

}  // namespace sluice
