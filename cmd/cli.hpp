// Option tables of the flux commands: one table gives parsing, --help and completion. getopt_long
// does the parsing, because its rules (clusters, abbreviations, order) are those of the reference's
// own C tools; the "python" tools of the reference differ in three ways, see CliStyle.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace sluice {

enum class CliStyle {
    c_tool,      // stops at the first word, abbreviations, usage error exits 1
    python_tool, // options and words may mix, no abbreviations, usage error exits 2
    submission,  // as python_tool, but stops at the first word and has no -h
};

class Cli {
  public:
    /// `name` as in messages ("flux-queue"), with a sub-command as second word ("flux-job attach");
    /// `usage` the words after it ("[OPTIONS] JOBID...").
    Cli(std::string name, CliStyle style, std::string usage, std::string summary);
    /// What --help says below the options.
    void notes(std::string text) { notes_ = std::move(text); }

    /// `spec` is "-n,--ntasks=N", "-v,--verbose", "--color[=WHEN]"; a one-letter-only option is
    /// "-x". `text` is its line in --help; an empty text hides it.
    void flag(std::string_view spec, bool& to, std::string text);
    void count(std::string_view spec, int& to, std::string text);
    void option(std::string_view spec, std::string& to, std::string text);
    void option(std::string_view spec, std::optional<std::string>& to, std::string text);
    void option(std::string_view spec, std::vector<std::string>& to, std::string text);
    /// `apply` is called in command-line order; an Error becomes a usage error.
    /// For "--color[=WHEN]" the value may be absent. A command that declares "--help" itself has
    /// no automatic one.
    using Apply = std::function<Result<void>(std::optional<std::string> value)>;
    void option(std::string_view spec, Apply apply, std::string text);
    /// A second spelling of the option just declared, not shown in --help.
    void alias(std::string_view long_name);

    /// Parses argv[1..]. An exit code when the command is over (--help: 0, usage error: 1 or 2,
    /// already printed); nullopt to go on with words().
    std::optional<int> parse(int argc, char** argv);
    /// As parse, but without printing: the error text instead (for batch directives).
    Result<void> parse_quietly(const std::vector<std::string>& words);
    const std::vector<std::string>& words() const { return words_; }
    /// The words came after "--".
    bool words_marked() const { return words_marked_; }

    /// For wrong words: prints the text and the usage in the style's way; returns its exit code.
    int usage_error(const std::string& text) const;
    /// Prints a runtime error in the style's way ("flux-job: text" or "flux-run: ERROR: text").
    int error(const std::string& text) const;
    const std::string& name() const { return name_; }
    std::string help() const;

    struct Option {
        std::string long_name;    // without dashes, may be empty
        char short_name = 0;
        enum class Value { none, required, optional } value = Value::none;
        std::string metavar, text;
        Apply apply;
        std::vector<std::string> aliases;
    };
    const std::vector<Option>& options() const { return options_; }
    CliStyle style() const { return style_; }
    const std::string& usage() const { return usage_; }
    const std::string& summary() const { return summary_; }

    /// From now on parse() gives each table to `listener` and ends its command with 0.
    static void list_to(std::function<void(const Cli&)> listener);
    static bool listing();

  private:
    Result<void> run(std::vector<std::string> words);
    Result<void> apply(const Option& option, const std::string& word, const char* value);
    int option_error(const std::string& text) const;
    Error misuse(int code, int optopt_value, const std::string& word) const;
    void add(std::string_view spec, Apply apply, std::string text);
    std::string shown_name() const;

    std::string name_, usage_, summary_, notes_;
    CliStyle style_;
    std::vector<Option> options_;
    std::vector<std::string> words_;
    bool words_marked_ = false;
    bool help_ = false;  // --help was given
};

}  // namespace sluice
