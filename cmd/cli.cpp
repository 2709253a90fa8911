#include "cmd/cli.hpp"

#include <getopt.h>

#include <algorithm>
#include <cstdio>

namespace sluice {
namespace {

constexpr int long_base = 256;  // getopt_long's value of option i is long_base + i
constexpr std::size_t text_column = 28;
std::function<void(const Cli&)> table_listener;

/// "-n,--ntasks=N" taken apart.
Cli::Option parse_spec(std::string_view spec) {
    Cli::Option option;
    if (const std::size_t equals = spec.find('='); equals != std::string_view::npos) {
        const bool optional = equals > 0 && spec[equals - 1] == '[';
        option.value = optional ? Cli::Option::Value::optional : Cli::Option::Value::required;
        option.metavar = spec.substr(equals + 1);
        if (optional) option.metavar.pop_back();
        spec = spec.substr(0, equals - (optional ? 1 : 0));
    }
    if (spec.size() >= 2 && spec[0] == '-' && spec[1] != '-') {
        option.short_name = spec[1];
        spec.remove_prefix(std::min<std::size_t>(spec.size(), 3));
    }
    if (spec.starts_with("--")) option.long_name = spec.substr(2);
    return option;
}

int getopt_kind(Cli::Option::Value value) {
    switch (value) {
        case Cli::Option::Value::none:
            return no_argument;
        case Cli::Option::Value::required:
            return required_argument;
        case Cli::Option::Value::optional:
            return optional_argument;
    }
    return no_argument;
}

/// The option table in getopt's two forms.
struct GetoptTables {
    explicit GetoptTables(const std::vector<Cli::Option>& options) {
        for (std::size_t i = 0; i < options.size(); ++i) {
            const Cli::Option& option = options[i];
            const int kind = getopt_kind(option.value);
            if (option.short_name) {
                short_options += option.short_name;
                short_options.append(static_cast<std::size_t>(kind), ':');
            }
            const int code = long_base + static_cast<int>(i);
            if (!option.long_name.empty())
                long_options.push_back({option.long_name.c_str(), kind, nullptr, code});
            for (const std::string& alias : option.aliases)
                long_options.push_back({alias.c_str(), kind, nullptr, code});
        }
        long_options.push_back({nullptr, 0, nullptr, 0});
    }
    std::string short_options = "+:";
    std::vector<::option> long_options;
};

const Cli::Option* find_option(const std::vector<Cli::Option>& options, int code) {
    if (code >= long_base) return &options[static_cast<std::size_t>(code - long_base)];
    for (const Cli::Option& option : options)
        if (option.short_name == code) return &option;
    return nullptr;
}

/// "-n/--ntasks" as argparse names an option.
std::string both_names(const Cli::Option& option) {
    std::string names = option.short_name ? std::string{'-', option.short_name} : "";
    if (option.long_name.empty()) return names;
    return names + (names.empty() ? "--" : "/--") + option.long_name;
}

bool spelled_in_full(const Cli::Option& option, std::string_view word) {
    const std::string_view name = word.substr(2, word.find('=') - 2);
    return name == option.long_name || std::ranges::count(option.aliases, name) > 0;
}

/// An error of a value that does not say yet whose it is: "--timeout: 'soon': invalid …".
Error name_option(CliStyle style, const Cli::Option& option, const std::string& word,
                  std::string_view value, const Error& error) {
    const std::string quoted = fmt::format("'{}'", value);
    std::string text = error.text();
    if (text.find(quoted) == std::string::npos) text = quoted + ": " + text;
    if (style != CliStyle::c_tool)
        return fail(error.errnum(), "argument {}: {}", both_names(option), text);
    const bool is_long = word.starts_with("--") && !option.long_name.empty();
    const std::string name = is_long ? "--" + option.long_name : word.substr(0, 2);
    return fail(error.errnum(), "{}: {}", name, text);
}

}  // namespace

Cli::Cli(std::string name, CliStyle style, std::string usage, std::string summary)
    : name_(std::move(name)),
      usage_(std::move(usage)),
      summary_(std::move(summary)),
      style_(style) {
    options_.reserve(16);
}

void Cli::add(std::string_view spec, Apply apply, std::string text) {
    Option option = parse_spec(spec);
    option.apply = std::move(apply);
    option.text = std::move(text);
    options_.push_back(std::move(option));
}

void Cli::flag(std::string_view spec, bool& to, std::string text) {
    add(
        spec,
        [&to](const auto&) {
            to = true;
            return Result<void>{};
        },
        std::move(text));
}

void Cli::count(std::string_view spec, int& to, std::string text) {
    add(
        spec,
        [&to](const auto&) {
            ++to;
            return Result<void>{};
        },
        std::move(text));
}

void Cli::option(std::string_view spec, std::string& to, std::string text) {
    add(
        spec,
        [&to](auto value) {
            to = value.value_or("");
            return Result<void>{};
        },
        std::move(text));
}

void Cli::option(std::string_view spec, std::optional<std::string>& to, std::string text) {
    add(
        spec,
        [&to](auto value) {
            to = value.value_or("");
            return Result<void>{};
        },
        std::move(text));
}

void Cli::option(std::string_view spec, std::vector<std::string>& to, std::string text) {
    add(
        spec,
        [&to](auto value) {
            to.push_back(value.value_or(""));
            return Result<void>{};
        },
        std::move(text));
}

void Cli::option(std::string_view spec, Apply apply, std::string text) {
    add(spec, std::move(apply), std::move(text));
}

void Cli::alias(std::string_view long_name) {
    if (long_name.starts_with("--")) long_name.remove_prefix(2);
    options_.back().aliases.emplace_back(long_name);
}

Result<void> Cli::run(std::vector<std::string> words) {
    words_.clear();
    std::vector<char*> argv{name_.data()};
    for (std::string& word : words) argv.push_back(word.data());
    const int argc = static_cast<int>(argv.size());
    argv.push_back(nullptr);
    const GetoptTables tables(options_);
    optind = 0;  // makes glibc start afresh
    opterr = 0;
    for (;;) {
        const int before = std::max(optind, 1);
        const std::string word = before < argc ? argv[before] : "";
        const int code = getopt_long(argc, argv.data(), tables.short_options.c_str(),
                                     tables.long_options.data(), nullptr);
        if (code == '?' || code == ':') return misuse(code, optopt, word);
        if (code != -1) {
            SLUICE_CHECK(apply(*find_option(options_, code), word, optarg));
            continue;
        }
        words_marked_ = word == "--";
        if (optind >= argc) return {};
        if (style_ != CliStyle::python_tool || word == "--") break;
        words_.emplace_back(argv[optind++]);  // options and words may mix
    }
    for (int i = optind; i < argc; ++i) words_.emplace_back(argv[i]);
    return {};
}

Result<void> Cli::apply(const Option& option, const std::string& word, const char* value) {
    const bool is_long = word.starts_with("--");
    if (is_long && style_ != CliStyle::c_tool && !spelled_in_full(option, word))
        return fail(EINVAL, "unrecognized arguments: {}", word);
    const auto done = option.apply(value ? std::optional<std::string>{value} : std::nullopt);
    if (done || !value || !done.error().text().starts_with("invalid ")) return done;
    return name_option(style_, option, word, value, done.error());
}

/// What was wrong, in the words of GNU getopt or of Python's argparse.
Error Cli::misuse(int code, int bad, const std::string& word) const {
    const bool is_long = word.starts_with("--");
    const std::string name = word.substr(0, word.find('='));
    const Option* known = bad ? find_option(options_, bad) : nullptr;
    if (style_ != CliStyle::c_tool) {
        if (!known || (is_long && !spelled_in_full(*known, word)))
            return fail(EINVAL, "unrecognized arguments: {}", word);
        if (code == ':')
            return fail(EINVAL, "argument {}: expected one argument", both_names(*known));
        return fail(EINVAL, "argument {}: ignored explicit argument '{}'", both_names(*known),
                    word.substr(std::min(word.size(), name.size() + 1)));
    }
    if (code == ':') {
        if (is_long) return fail(EINVAL, "option '{}' requires an argument", name);
        return fail(EINVAL, "option requires an argument -- '{}'", static_cast<char>(bad));
    }
    if (!is_long) return fail(EINVAL, "invalid option -- '{}'", static_cast<char>(bad));
    if (known) return fail(EINVAL, "option '{}' doesn't allow an argument", name);
    std::string candidates;
    for (const Option& option : options_)
        if (option.long_name.starts_with(name.substr(2)))
            candidates += " '--" + option.long_name + "'";
    if (candidates.empty()) return fail(EINVAL, "unrecognized option '{}'", word);
    return fail(EINVAL, "option '{}' is ambiguous; possibilities:{}", name, candidates);
}

std::optional<int> Cli::parse(int argc, char** argv) {
    const bool own_help = std::ranges::any_of(
        options_, [](const Option& option) { return option.long_name == "help"; });
    if (!own_help) {
        const bool submission = style_ == CliStyle::submission;
        add(
            submission ? "--help[=TOPIC]" : "-h,--help",
            [this](const auto&) {
                help_ = true;
                return Error{ECANCELED};
            },
            "Display this message");
        std::ranges::rotate(options_, options_.end() - 1);
    }
    if (table_listener) {
        table_listener(*this);
        return 0;
    }
    std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    const Result<void> done = run(std::move(words));
    if (help_) {
        const std::string text = help();
        std::fwrite(text.data(), 1, text.size(),
                    style_ == CliStyle::c_tool ? stderr : stdout);
        return 0;
    }
    if (!done) return option_error(done.error().text());
    return std::nullopt;
}

void Cli::list_to(std::function<void(const Cli&)> listener) {
    table_listener = std::move(listener);
}

bool Cli::listing() { return static_cast<bool>(table_listener); }

Result<void> Cli::parse_quietly(const std::vector<std::string>& words) {
    return run(words);
}

std::string Cli::shown_name() const {
    if (style_ != CliStyle::submission) return name_;
    std::string spaced = name_;
    if (const std::size_t dash = spaced.find('-'); dash != std::string::npos) spaced[dash] = ' ';
    return spaced;
}

int Cli::option_error(const std::string& text) const {
    if (style_ != CliStyle::c_tool) return usage_error(text);
    fmt::print(stderr, "{}: {}\nTry `{} --help' for more information.\n", name_, text, name_);
    return 1;
}

int Cli::usage_error(const std::string& text) const {
    if (style_ == CliStyle::c_tool) {
        fmt::print(stderr, "{}: {}\nUsage: {} {}\n", name_, text, name_, usage_);
        return 1;
    }
    fmt::print(stderr, "usage: {} {}\n{}: error: {}\n", shown_name(), usage_, shown_name(), text);
    return 2;
}

int Cli::error(const std::string& text) const {
    const std::string program = name_.substr(0, name_.find(' '));
    fmt::print(stderr, "{}: {}{}\n", program, style_ == CliStyle::c_tool ? "" : "ERROR: ", text);
    return 1;
}

std::string Cli::help() const {
    std::string out = fmt::format("{}: {} {}\n", style_ == CliStyle::c_tool ? "Usage" : "usage",
                                  shown_name(), usage_);
    if (!summary_.empty()) out += summary_ + "\n\n";
    for (const Option& option : options_) {
        if (option.text.empty()) continue;
        std::string left = "  ";
        left += option.short_name ? std::string{'-', option.short_name} : "  ";
        if (!option.long_name.empty())
            left += (option.short_name ? ", --" : "  --") + option.long_name;
        switch (option.value) {
            case Option::Value::none:
                break;
            case Option::Value::required:
                left += (option.long_name.empty() ? " " : "=") + option.metavar;
                break;
            case Option::Value::optional:
                left += "[=" + option.metavar + "]";
                break;
        }
        if (left.size() + 2 > text_column) {
            out += left + "\n";
            left.clear();
        }
        out += fmt::format("{:<{}}{}\n", left, text_column, option.text);
    }
    if (!notes_.empty()) out += "\n" + notes_ + "\n";
    return out;
}

}  // namespace sluice
