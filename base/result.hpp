// Result<T>: a value, or an Error of errno and text. Failures travel by return value; exceptions
// of libraries stop at the seam that uses the library.
#pragma once

#include <fmt/format.h>

#include <cerrno>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace sluice {

/// What went wrong: errno as on the wire (RFC 6) and a text "thing, what was found, the cure".
class Error {
  public:
    explicit Error(int errnum, std::string text = {}) : errnum_(errnum), text_(std::move(text)) {}
    int errnum() const { return errnum_; }
    /// The text, or the errno's own text where none was given.
    std::string text() const;
    bool has_text() const { return !text_.empty(); }
    /// The same error with what only the caller knows in front: "prefix: text".
    Error in(std::string_view prefix) const;
    friend bool operator==(const Error&, const Error&) = default;

  private:
    int errnum_;
    std::string text_;
};

/// An Error of `errnum` with a formatted text.
template <class... Args>
Error fail(int errnum, fmt::format_string<Args...> format, Args&&... args) {
    return Error{errnum, fmt::format(format, std::forward<Args>(args)...)};
}

template <class T>
class [[nodiscard]] Result {
  public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

    explicit operator bool() const { return state_.index() == 0; }
    bool has_value() const { return state_.index() == 0; }
    T& operator*() & { return std::get<0>(state_); }
    const T& operator*() const& { return std::get<0>(state_); }
    T&& operator*() && { return std::get<0>(std::move(state_)); }
    T* operator->() { return &std::get<0>(state_); }
    const T* operator->() const { return &std::get<0>(state_); }
    const Error& error() const { return std::get<1>(state_); }
    T value_or(T fallback) const { return *this ? **this : std::move(fallback); }

  private:
    std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
  public:
    Result() = default;
    Result(Error error) : error_(std::move(error)) {}
    explicit operator bool() const { return !error_; }
    bool has_value() const { return !error_; }
    const Error& error() const { return *error_; }

  private:
    std::optional<Error> error_;
};

}  // namespace sluice

#define SLUICE_CONCAT_(a, b) a##b
#define SLUICE_CONCAT(a, b) SLUICE_CONCAT_(a, b)

/// SLUICE_TRY(auto x, f()): declares x with the value of f(), or returns f()'s error.
#define SLUICE_TRY_(tmp, declaration, ...) \
    auto tmp = (__VA_ARGS__);              \
    if (!tmp) return tmp.error();          \
    declaration = *std::move(tmp)
#define SLUICE_TRY(declaration, ...) \
    SLUICE_TRY_(SLUICE_CONCAT(sluice_try_, __LINE__), declaration, __VA_ARGS__)

/// SLUICE_CHECK(f()): returns f()'s error if there is one.
#define SLUICE_CHECK(...)                                              \
    do {                                                               \
        if (auto sluice_check = (__VA_ARGS__); !sluice_check)          \
            return sluice_check.error();                               \
    } while (false)
