// The ten exact results of the submission commands, as recorded from the reference.
#include "cmd/options/jobspec_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cmd/options/directives.hpp"

namespace sluice {
namespace {

SubmitContext plain_context() {
    SubmitContext context;
    context.cwd = "/w";
    context.environment = {{"HOME", "/home/u"}, {"PATH", "/bin"}};
    context.limits = {{"cpu", -1}, {"core", 0}};
    context.load = [](const std::string& path) -> Result<LoadedFile> {
        return file_error(ENOENT, path);
    };
    context.now = 1000;
    return context;
}

/// The jobspec of a command line, environment and limits removed.
std::string jobspec_of(SubmitVerb verb, std::vector<std::string> words, std::string script = {}) {
    words.insert(words.begin(), {"--env=-*", "--rlimit=-*"});
    Cli cli(program_name(verb), CliStyle::submission, "", "");
    SubmitOptions options;
    declare_submit_options(cli, options, verb);
    if (const Result<void> parsed = cli.parse_quietly(words); !parsed) return parsed.error().text();
    const Result<JsonObject> jobspec =
        build_jobspec(options, verb, {.command = cli.words(), .script = script}, plain_context());
    return jobspec ? dump_json_spaced(Json(*jobspec)) : jobspec.error().text();
}

const std::string tail =
    R"(], "tasks": [{"command": ["./a.out"], "slot": "task", "count": {"per_slot": 1}}], )"
    R"("attributes": {"system": {"duration": 0, "environment": {}, "cwd": "/w"}}, "version": 1})";

TEST(JobspecOfRun, CountsTasksAndCores) {
    EXPECT_EQ(
        jobspec_of(SubmitVerb::run, {"-n4", "-c2", "./a.out"}),
        R"({"resources": [{"type": "slot", "count": 4, "with": [{"type": "core", "count": 2}], )"
        R"("label": "task"})" +
            tail);
}

TEST(JobspecOfRun, TakesWholeNodesForANodeCountAlone) {
    EXPECT_EQ(jobspec_of(SubmitVerb::run, {"-N2", "./a.out"}),
              R"({"resources": [{"type": "node", "count": 2, "exclusive": true, "with": )"
              R"([{"type": "slot", "count": 1, "with": [{"type": "core", "count": 1}], )"
              R"("label": "task"}]})" +
                  tail);
}

TEST(JobspecOfRun, PutsGpusBesideCores) {
    EXPECT_EQ(
        jobspec_of(SubmitVerb::run, {"-N2", "-n4", "-g1", "./a.out"}),
        R"({"resources": [{"type": "node", "count": 2, "with": [{"type": "slot", "count": 2, )"
        R"("with": [{"type": "core", "count": 1}, {"type": "gpu", "count": 1}], )"
        R"("label": "task"}]})" +
            tail);
}

TEST(JobspecOfRun, GivesTheTotalWhenNodesDoNotDivideTasks) {
    EXPECT_EQ(
        jobspec_of(SubmitVerb::run, {"-N3", "-n4", "./a.out"}),
        R"({"resources": [{"type": "node", "count": 3, "with": [{"type": "slot", "count": 2, )"
        R"("with": [{"type": "core", "count": 1}], "label": "task"}]}], "tasks": )"
        R"([{"command": ["./a.out"], "slot": "task", "count": {"total": 4}}], "attributes": )"
        R"({"system": {"duration": 0, "environment": {}, "cwd": "/w"}}, "version": 1})");
}

TEST(JobspecOfRun, LeavesTasksPerNodeToTheShell) {
    EXPECT_EQ(
        jobspec_of(SubmitVerb::run, {"-N2", "--tasks-per-node=4", "./a.out"}),
        R"({"resources": [{"type": "node", "count": 2, "exclusive": true, "with": )"
        R"([{"type": "slot", "count": 1, "with": [{"type": "core", "count": 1}], )"
        R"("label": "task"}]}], "tasks": [{"command": ["./a.out"], "slot": "task", "count": )"
        R"({"per_slot": 1}}], "attributes": {"system": {"duration": 0, "shell": {"options": )"
        R"({"per-resource": {"type": "node", "count": 4}}}, "environment": {}, "cwd": "/w"}}, )"
        R"("version": 1})");
}

TEST(JobspecOfRun, SharesCoresAmongNodes) {
    EXPECT_EQ(
        jobspec_of(SubmitVerb::run,
                   {"-N2", "--cores=16", "--tasks-per-node=3", "--gpus-per-node=2", "./a.out"}),
        R"({"resources": [{"type": "node", "count": 2, "with": [{"type": "slot", "count": 1, )"
        R"("with": [{"type": "core", "count": 8}, {"type": "gpu", "count": 2}], "label": )"
        R"("task"}]}], "tasks": [{"command": ["./a.out"], "slot": "task", "count": )"
        R"({"per_slot": 1}}], "attributes": {"system": {"duration": 0, "shell": {"options": )"
        R"({"per-resource": {"type": "node", "count": 3}}}, "environment": {}, "cwd": "/w"}}, )"
        R"("version": 1})");
}

TEST(JobspecOfSubmit, PutsEveryOptionInItsPlace) {
    EXPECT_EQ(
        jobspec_of(SubmitVerb::submit, {"-n1",
                                        "-t",
                                        "5",
                                        "-q",
                                        "debug",
                                        "-B",
                                        "proj",
                                        "--job-name=foo",
                                        "--urgency=20",
                                        "--output=out.{{id}}",
                                        "--error=err.{{id}}",
                                        "-l",
                                        "-u",
                                        "--input=in.txt",
                                        "--requires=a,^b -host:n1",
                                        "--dependency=afterok:f123?x=1",
                                        "--signal=TERM@2m",
                                        "--taskmap=cyclic:2",
                                        "-o",
                                        "pty",
                                        "-o",
                                        "a.b=1.5",
                                        "-o",
                                        "c=hi",
                                        "-S",
                                        "foo.bar=7",
                                        "-S",
                                        "user.x=[1]",
                                        "-S",
                                        ".user.y=1",
                                        "--env=FOO=bar",
                                        "--env=T=/{{tmpdir}}/x",
                                        "./a.out",
                                        "--flag"}),
        R"({"resources": [{"type": "slot", "count": 1, "with": [{"type": "core", "count": 1}], )"
        R"("label": "task"}], "tasks": [{"command": ["./a.out", "--flag"], "slot": "task", )"
        R"("count": {"per_slot": 1}}], "attributes": {"system": {"duration": 300.0, )"
        R"("environment": {"FOO": "bar"}, "cwd": "/w", "job": {"name": "foo"}, "shell": )"
        R"({"options": {"input": {"stdin": {"type": "file", "path": "in.txt"}, )"
        R"("batch-timeout": 0.0}, "output": {"stdout": {"type": "file", "path": "out.{{id}}", )"
        R"("label": true, "buffer": {"type": "none"}}, "stderr": {"type": "file", "path": )"
        R"("err.{{id}}", "label": true, "buffer": {"type": "none"}}, "batch-timeout": 0.05}, )"
        R"("env-expand": {"T": "/{{tmpdir}}/x"}, "signal": {"signum": 15, "timeleft": 120.0}, )"
        R"("taskmap": {"scheme": "cyclic", "value": "2"}, "pty": 1, "a": {"b": 1.5}, "c": )"
        R"("hi"}}, "queue": "debug", "bank": "proj", "dependencies": [{"scheme": "afterok", )"
        R"("value": "f123", "x": 1}], "constraints": {"and": [{"properties": ["a", "^b"]}, )"
        R"({"not": [{"hostlist": ["n1"]}]}]}, "foo": {"bar": 7}}, "user": {"x": [1], "y": 1}}, )"
        R"("version": 1})");
}

TEST(JobspecOfAlloc, StartsABrokerPerNode) {
    EXPECT_EQ(
        jobspec_of(SubmitVerb::alloc, {"-N1"}),
        R"({"resources": [{"type": "node", "count": 1, "exclusive": true, "with": [{"type": )"
        R"("slot", "count": 1, "with": [{"type": "core", "count": 1}], "label": "task"}]}], )"
        R"("tasks": [{"command": ["flux", "broker"], "slot": "task", "count": {"per_slot": 1}}], )"
        R"("attributes": {"system": {"duration": 0, "environment": {}, "cwd": "/w", "shell": )"
        R"({"options": {"per-resource": {"type": "node"}, "mpi": "none", "exit-timeout": )"
        R"("none"}}}}, "version": 1})");
}

TEST(JobspecOfAlloc, PassesBrokerOptionsAndConfiguration) {
    const std::string jobspec =
        jobspec_of(SubmitVerb::alloc, {"-n2", "-c4", "-g1", "--bg", "--conf=resource.noverify=true",
                                       "--broker-opts=-Sfoo=1,-v", "--dump=d.tgz"});
    EXPECT_THAT(jobspec,
                testing::HasSubstr(
                    R"("command": ["flux", "broker", "-Sfoo=1", "-v", "-Scontent.dump=d.tgz", )"
                    R"("-Sbroker.rc2_none=1", "-c{{tmpdir}}/conf.json"])"));
    EXPECT_THAT(jobspec, testing::HasSubstr(R"("exit-timeout": "none", "pty": {"capture": 1}}})"));
    EXPECT_THAT(jobspec, testing::HasSubstr(R"("files": {"conf.json": {"mode": 33152, "data": )"
                                            R"({"resource": {"noverify": true}}}})"));
}

TEST(JobspecOfBatch, CarriesTheScript) {
    const std::string script = "#!/bin/sh\n#flux: -n4 -t 10m\n#flux: --job-name=zz\n";
    const Result<std::vector<Directive>> directives = parse_directives(script);
    ASSERT_TRUE(directives);
    std::vector<std::string> words;
    for (const Directive& directive : *directives)
        words.insert(words.end(), directive.words.begin(), directive.words.end());
    words.insert(words.end(), {"-N2", "s.sh", "arg1"});
    EXPECT_EQ(
        jobspec_of(SubmitVerb::batch, words, script),
        R"({"resources": [{"type": "node", "count": 2, "with": [{"type": "slot", "count": 2, )"
        R"("with": [{"type": "core", "count": 1}], "label": "task"}]}], "tasks": [{"command": )"
        R"(["flux", "broker", "{{tmpdir}}/script", "arg1"], "slot": "task", "count": )"
        R"({"per_slot": 1}}], "attributes": {"system": {"duration": 600.0, "environment": {}, )"
        R"("cwd": "/w", "job": {"name": "zz"}, "shell": {"options": {"output": {"stdout": )"
        R"({"type": "file", "path": "flux-{{id}}.out"}}, "per-resource": {"type": "node"}, )"
        R"("mpi": "none", "exit-timeout": "none"}}, "files": {"script": {"mode": 33216, "data": )"
        R"("#!/bin/sh\n#flux: -n4 -t 10m\n#flux: --job-name=zz\n", "encoding": "utf-8"}}}}, )"
        R"("version": 1})");
}

TEST(JobspecErrors, NameTheOption) {
    using testing::HasSubstr;
    const SubmitVerb run = SubmitVerb::run;
    EXPECT_EQ(jobspec_of(run, {"-nx", "a"}), "--ntasks: invalid int value 'x'");
    EXPECT_EQ(jobspec_of(run, {"-N4", "-n2", "a"}),
              "node count must not be greater than task count");
    EXPECT_EQ(jobspec_of(run, {"-x", "a"}), "exclusive can only be set with a node count");
    EXPECT_THAT(jobspec_of(run, {"--cores=4", "-n2", "a"}), HasSubstr("can't be used with"));
    EXPECT_EQ(jobspec_of(run, {"-N2", "--tasks-per-node=0", "a"}),
              "--tasks-per-node must be >= 1, found 0");
    EXPECT_EQ(jobspec_of(run, {"--requires=a|", "a"}),
              "--requires='a|': Unexpected end of input in 'a|'");
    EXPECT_EQ(jobspec_of(run, {"-t", "inf", "a"}), "duration must be a normal, finite value");
    EXPECT_EQ(jobspec_of(run, {"--bogus", "a"}), "unrecognized arguments: --bogus");
    EXPECT_EQ(jobspec_of(run, {"--time=5", "a"}), "unrecognized arguments: --time=5");
    EXPECT_EQ(jobspec_of(run, {"-n"}), "argument -n/--ntasks: expected one argument");
}

TEST(JobspecOfRun, TakesItsResourcesInTheWordsOfRfc46) {
    EXPECT_EQ(jobspec_of(SubmitVerb::run, {"--resources-shape=node/slot=2{db}/core=3", "./a.out"}),
              R"({"resources": [{"type": "node", "count": 1, "with": [{"type": "slot", )"
              R"("count": 2, "label": "db", "with": [{"type": "core", "count": 3}]}]}], )"
              R"("tasks": [{"command": ["./a.out"], "slot": "db", "count": {"per_slot": 1}}], )"
              R"("attributes": {"system": {"duration": 0, "environment": {}, "cwd": "/w"}}, )"
              R"("version": 1})");
    EXPECT_EQ(jobspec_of(SubmitVerb::run, {"--resources-shape=slot", "--resources-json=f", "true"}),
              "`--resources-shape` and `--resources-json` are mutually exclusive arguments. "
              "Use only one.");
    EXPECT_EQ(jobspec_of(SubmitVerb::run, {"--resources-json=nosuch", "true"}),
              "[Errno 2] No such file or directory: 'nosuch'");
}

TEST(JobspecOfAlloc, AddsBrokersToTheFirstNode) {
    const std::string jobspec =
        jobspec_of(SubmitVerb::alloc, {"-N3", "--add-brokers=2", "--conf=resource.exclude=7"});
    for (const char* part : {R"("count": {"total": 5})", R"("value": "[[0,1,3,1],[1,2,1,1]]")",
                             R"("exclude": "1-2,7")"})
        EXPECT_THAT(jobspec, testing::HasSubstr(part));
    EXPECT_THAT(jobspec, testing::Not(testing::HasSubstr("per-resource")));
    EXPECT_EQ(jobspec_of(SubmitVerb::alloc, {"-n1", "--add-brokers=2"}),
              "--add-brokers may only be specified with -N, --nnodes");
}

}  // namespace
}  // namespace sluice
