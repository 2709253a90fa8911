#include "cmd/options/fan_out.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cmd/options/bulk_inputs.hpp"
#include "cmd/options/directives.hpp"
#include "cmd/options/shell_words.hpp"

namespace sluice {
namespace {

using testing::ElementsAre;

PlannedJob job_of(std::vector<OptionText> texts, std::vector<std::string> command) {
    PlannedJob job;
    job.options.texts = std::move(texts);
    job.command = std::move(command);
    return job;
}

TEST(CopyJob, ReplacesTheIdAndSetsTheVariable) {
    const auto copy = copy_job(
        job_of({{"cc", "1-3"}, {"output", "o{cc}.{{id}}"}}, {"echo", "{cc}", "{{taskid}}"}), 2);
    ASSERT_TRUE(copy);
    EXPECT_THAT(copy->command, ElementsAre("echo", "2", "{{taskid}}"));
    EXPECT_EQ(copy->options.last("output"), "o2.{{id}}");
    EXPECT_EQ(copy->options.last("env"), "FLUX_JOB_CC=2");
}

TEST(CopyJob, RefusesUnknownFieldsInTheCommand) {
    const auto copy = copy_job(job_of({{"cc", "1"}}, {"sh", "-c", "echo ${HOME}"}), 1);
    ASSERT_FALSE(copy);
    EXPECT_EQ(copy.error().text(), "Invalid replacement string in command: 'echo ${HOME}'");
}

TEST(CopyJob, NamesTheOptionWithAnUnknownField) {
    const auto copy = copy_job(job_of({{"ntasks", "{f}"}}, {"true"}), 1);
    ASSERT_FALSE(copy);
    EXPECT_EQ(copy.error().text(),
              "Invalid replacement string in -n{f}: Replacement key 'f' not found");
}

TEST(ChangedOptions, ShowWholeListsAndTheCopies) {
    const auto before =
        job_of({{"env", "-*"}, {"env", "A={}"}, {"cc", "1-2"}, {"ntasks", "4"}}, {});
    const auto after = job_of({{"env", "-*"}, {"env", "A=x"}, {"cc", "1-2"}, {"ntasks", "4"}}, {});
    EXPECT_THAT(changed_options(before.options, after.options),
                ElementsAre("--env=['-*', 'A=x']", "--cc=1-2"));
}

TEST(CopyIds, RefusesCcWithBcc) {
    EXPECT_FALSE(copy_ids(job_of({{"cc", "1"}, {"bcc", "1"}}, {}).options));
    EXPECT_FALSE(copy_ids(job_of({{"cc", "abc"}}, {}).options));
    EXPECT_FALSE(copy_ids(SubmitOptions{})->has_value());
}

Result<BulkLine> bulk(std::vector<std::string> words) {
    return parse_bulk_line(words, [](const std::string&) -> Result<std::vector<std::string>> {
        return std::vector<std::string>{"f1", "f2"};
    });
}

TEST(BulkInputs, CombinesListsAndCyclesLinkedOnes) {
    EXPECT_THAT(bulk({"a", ":::", "1", "2", ":::", "x"})->tuples,
                ElementsAre(ElementsAre("1", "x"), ElementsAre("2", "x")));
    EXPECT_THAT(bulk({"a", ":::", "1", "2", "3", ":::+", "x", "y"})->tuples,
                ElementsAre(ElementsAre("1", "x"), ElementsAre("2", "y"), ElementsAre("3", "x")));
    EXPECT_THAT(bulk({})->tuples, ElementsAre(ElementsAre("f1"), ElementsAre("f2")));
    EXPECT_THAT(bulk({})->command, ElementsAre("{}"));
    EXPECT_TRUE(bulk({"a", ":::"})->tuples.empty());
    EXPECT_FALSE(bulk({"a", "::::", "f", "g"}));
}

TEST(BulkInputs, ReplacesPathOperators) {
    const InputTuple tuple = {"/data/a.tar.gz", "b"};
    const DefinedValues defined;
    const auto replaced = replace_job(
        job_of({}, {"{}", "{0.%}", "{./}", "{./%}", "{.//}", "{1}", "{seq}", "{seq1}", "{cc}"}),
        input_lookups(tuple, 4, defined));
    ASSERT_TRUE(replaced);
    EXPECT_THAT(replaced->command, ElementsAre("/data/a.tar.gz", "/data/a.tar", "a.tar.gz", "a.tar",
                                               "/data", "b", "4", "5", "{cc}"));
}

TEST(SplitItems, LeavesOutEmptyOnes) {
    EXPECT_THAT(split_items("1\n\n2\n", "\n"), ElementsAre("1", "2"));
    EXPECT_THAT(split_items("a b\n c", "none"), ElementsAre("a", "b", "c"));
    EXPECT_THAT(split_items("1,2\n", ","), ElementsAre("1", "2"));
}

TEST(Directives, EndAtTheFirstOtherLine) {
    const auto found =
        parse_directives("#!/bin/sh\n# note\n#flux: -N2\n\n#flux: -n \"4\" # x\nls\n");
    ASSERT_TRUE(found);
    EXPECT_THAT(*found, ElementsAre(Directive{3, {"-N2"}}, Directive{5, {"-n", "4"}}));
}

TEST(Directives, NameTheLineOfAFault) {
    const auto text = [](const char* script) { return parse_directives(script).error().text(); };
    EXPECT_THAT(text("#flux: -N2\n##flux: -n1\n"), testing::StartsWith("line 2: sentinel changed"));
    EXPECT_EQ(text("#flux: -N2\nls\n#flux: -n1\n"),
              "line 3: orphan 'flux:' detected: directives disabled after line 2");
    EXPECT_EQ(text("#flux: N2\n"), "line 1: Unknown directive: N2");
    EXPECT_EQ(text("#flux: -o \"x\n"), "line 1: No closing quotation");
}

TEST(Directives, JoinMultiLineQuotes) {
    const auto found =
        parse_directives("#flux: --conf=\"\"\"\n#flux:   a = 1\n#flux:   b = 2\n#flux: \"\"\"\n");
    ASSERT_TRUE(found);
    EXPECT_THAT(*found, ElementsAre(Directive{1, {"--conf=a = 1\nb = 2\n"}}));
}

TEST(ShellWords, SplitAndQuote) {
    EXPECT_THAT(*split_shell_words("a 'b c' \"d\\\"e\" f\\ g # h"),
                ElementsAre("a", "b c", "d\"e", "f g"));
    EXPECT_EQ(quote_shell_word("one arg"), "'one arg'");
    EXPECT_EQ(quote_shell_word("plain-1.x"), "plain-1.x");
    EXPECT_EQ(quote_shell_word(""), "''");
}

}  // namespace
}  // namespace sluice
