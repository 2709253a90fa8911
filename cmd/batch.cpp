// flux batch: submits a script as the initial program of an instance of its own.
#include <cstdio>

#include "base/rfc/fluid.hpp"
#include "base/rfc/io_data.hpp"
#include "cmd/commands.hpp"
#include "cmd/load_file.hpp"
#include "cmd/options/directives.hpp"
#include "cmd/submission.hpp"

namespace sluice {
namespace {

constexpr int usage_exit_code = 2;

struct Script {
    std::string name;  // as messages call it
    std::string text;
};

std::string join_words(const std::vector<std::string>& words) {
    std::string out;
    for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
    return out;
}

/// "No such file or directory: 'PATH'".
Error without_errno(const Error& error) {
    std::string text = error.text();
    if (text.starts_with("[Errno")) text = text.substr(text.find("] ") + 2);
    return Error{error.errnum(), text};
}

Result<Script> read_script(const SubmissionLine& line) {
    Script script{line.words.empty() ? "batch" : line.words[0], ""};
    const bool wrap = line.options.wrap;
    if (wrap) script.text = "#!/bin/sh\n";
    if (wrap && !line.words.empty()) {
        script.text += join_words(line.words) + "\n";
    } else {
        const Result<LoadedFile> file =
            load_file(line.words.empty() ? "/dev/stdin" : line.words[0]);
        if (!file) return without_errno(file.error());
        script.text += file->content;
    }
    if (!is_utf8(script.text))
        return fail(EINVAL, "{} does not appear to be a script, or failed to encode as utf-8",
                    script.name);
    if (!script.text.starts_with("#!"))
        return fail(EINVAL, "{} does not appear to start with '#!'", script.name);
    return script;
}

/// The script's directives, then the command line on top of them.
Result<SubmitOptions> merge_options(const Script& script, const std::vector<Directive>& directives,
                                    const SubmitOptions& from_command_line) {
    SubmitOptions options;
    for (const Directive& directive : directives) {
        Cli cli(program_name(SubmitVerb::batch), CliStyle::submission, "", "");
        declare_submit_options(cli, options, SubmitVerb::batch);
        Result<void> done = cli.parse_quietly(directive.words);
        if (done && !cli.words().empty())
            done = fail(EINVAL, "unrecognized arguments: {}", join_words(cli.words()));
        if (!done)
            return fail(EINVAL, "argument parsing failed at {} line {}: {}", script.name,
                        directive.line, done.error().text());
    }
    const SubmitOptions& top = from_command_line;
    for (const OptionText& text : top.texts) options.texts.push_back(text);
    for (bool SubmitOptions::*flag :
         {&SubmitOptions::exclusive, &SubmitOptions::label_io, &SubmitOptions::unbuffered,
          &SubmitOptions::dry_run, &SubmitOptions::quiet, &SubmitOptions::wrap,
          &SubmitOptions::dump})
        options.*flag = options.*flag || top.*flag;
    return options;
}

int submit_script(SubmissionLine& line, const Script& script) {
    Result<std::optional<SubmittedJob>> submitted =
        submit_or_print(line, {.command = line.words, .script = script.text});
    if (!submitted) return line.cli.error(submitted.error().text());
    if (!*submitted) return 0;
    auto& [flux, id] = **submitted;
    if (!line.options.quiet) fmt::print("{}\n", to_f58(id));
    return 0;
}

}  // namespace

int cmd_batch(int argc, char** argv) {
    SubmissionLine line(SubmitVerb::batch);
    if (const auto code = line.parse(argc, argv)) return *code;
    const Result<Script> script = read_script(line);
    if (!script) return line.cli.error(script.error().text());
    const Result<std::vector<Directive>> directives = parse_directives(script->text);
    if (!directives)
        return line.cli.error(fmt::format("{}: {}", script->name, directives.error().text()));
    Result<SubmitOptions> options = merge_options(*script, *directives, line.options);
    if (!options) {
        line.cli.error(options.error().text());
        return usage_exit_code;
    }
    line.options = *std::move(options);
    return submit_script(line, *script);
}

}  // namespace sluice
