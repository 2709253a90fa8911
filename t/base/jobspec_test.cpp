#include "base/rfc/jobspec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view slot_core =
    R"([{"type":"slot","count":4,"with":[{"type":"core","count":2}],"label":"task"}])";

struct Parts {
    std::string_view resources = slot_core;
    std::string_view count = R"({"per_slot":1})";
    std::string_view system = R"({"duration":0})";
    std::string_view command = R"(["/bin/app","-x"])";
};

std::string text_of(const Parts& parts) {
    return fmt::format(R"({{"resources":{},"tasks":[{{"command":{},"slot":"task","count":{}}}],)"
                       R"("attributes":{{"system":{}}},"version":1}})",
                       parts.resources, parts.command, parts.count, parts.system);
}

Jobspec jobspec(const Parts& parts) {
    auto parsed = Jobspec::parse(text_of(parts));
    EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().text());
    return parsed.value_or({});
}

TEST(JobspecResources, MultipliesTheShapesOfVersion1) {
    struct Row {
        std::string_view resources;
        ResourceRequest expected;
    };
    const Row rows[] = {
        {slot_core, {.nodes = 0, .slots = 4, .cores_per_slot = 2}},
        {R"([{"type":"node","count":2,"exclusive":true,"with":[{"type":"slot","count":1,)"
         R"("with":[{"type":"core","count":1}],"label":"task"}]}])",
         {.nodes = 2, .slots = 2, .cores_per_slot = 1, .exclusive = true}},
        {R"([{"type":"node","count":2,"with":[{"type":"slot","count":3,)"
         R"("with":[{"type":"core","count":8},{"type":"gpu","count":2}],"label":"task"}]}])",
         {.nodes = 2, .slots = 6, .cores_per_slot = 8, .gpus_per_slot = 2}},
    };
    for (const Row& row : rows)
        EXPECT_EQ(jobspec({.resources = row.resources}).request, row.expected) << row.resources;
}

TEST(JobspecTasks, CountsThem) {
    EXPECT_EQ(jobspec({.count = R"({"per_slot":3})"}).task_count(1, 8), 12u);
    EXPECT_EQ(jobspec({.count = R"({"total":5})"}).task_count(1, 8), 5u);
    constexpr std::string_view per_node =
        R"({"duration":0,"shell":{"options":{"per-resource":{"type":"node","count":4}}}})";
    EXPECT_EQ(jobspec({.system = per_node}).task_count(3, 8), 12u);
    constexpr std::string_view per_core =
        R"({"duration":0,"shell":{"options":{"per-resource":{"type":"core"}}}})";
    EXPECT_EQ(jobspec({.system = per_core}).task_count(3, 8), 8u);
    EXPECT_EQ(jobspec({.count = R"({"per_resource":{"type":"node","count":2}})"}).task_count(3, 8),
              6u);
}

TEST(JobspecAttributes, AreDecodedAndTheRestStays) {
    const Jobspec spec = jobspec(
        {.system = R"({"duration":300.5,"cwd":"/w","queue":"debug","bank":"b","project":"p",)"
                   R"("job":{"name":"foo"},"environment":{"A":"1"},"constraints":{"ranks":["0"]},)"
                   R"("shell":{"options":{"pty":1,"signal":{"signum":15}}},"foo":{"bar":7}})"});
    EXPECT_EQ(spec.duration, 300.5);
    EXPECT_EQ(spec.cwd, "/w");
    EXPECT_EQ(spec.queue, "debug");
    EXPECT_EQ(spec.bank, "b");
    EXPECT_EQ(spec.project, "p");
    EXPECT_EQ(spec.name(), "foo");
    EXPECT_EQ(spec.environment().at("A"), "1");
    EXPECT_FALSE(spec.constraint.empty());
    EXPECT_EQ(*spec.shell_option("signal.signum"), 15);
    EXPECT_FALSE(spec.shell_option("nosuch"));
    EXPECT_EQ(*find_path(spec.json, "attributes.system.foo.bar"), 7);
    EXPECT_THAT(spec.command, ElementsAre("/bin/app", "-x"));
}

TEST(JobspecAttributes, NameIsTheProgramsWhenUnset) {
    EXPECT_EQ(jobspec({}).name(), "app");
    EXPECT_EQ(jobspec({.command = R"(["true"])"}).name(), "true");
    EXPECT_TRUE(jobspec({}).environment().empty());
}

struct Fault {
    Parts parts;
    std::string_view text;
};

void expect_refused(const Fault& fault) {
    const auto parsed = Jobspec::parse(text_of(fault.parts));
    ASSERT_FALSE(parsed) << text_of(fault.parts);
    EXPECT_EQ(parsed.error().errnum(), EINVAL);
    EXPECT_THAT(parsed.error().text(), HasSubstr(fault.text));
}

TEST(JobspecValidation, NamesFaultsOfAttributesAndTasks) {
    const Fault faults[] = {
        {{.system = "{}"}, "Missing key (duration)"},
        {{.system = R"({"duration":"1"})"}, "duration must be a number"},
        {{.system = R"({"duration":-1})"}, "at least 0"},
        {{.system = "[]"}, "system must be an object"},
        {{.system = R"({"duration":0,"queue":1})"}, "queue must be a string"},
        {{.system = R"({"duration":0,"environment":[]})"}, "environment must be an object"},
        {{.system = R"({"duration":0,"shell":{"options":1}})"}, "shell.options"},
        {{.system = R"({"duration":0,"constraints":{"x":[]}})"}, "unknown constraint operator 'x'"},
        {{.system = R"({"duration":0,"shell":{"options":{"per-resource":{"type":"gpu"}}}})"},
         "unknown type 'gpu'"},
        {{.command = "[]"}, "command must have"},
        {{.command = "[1]"}, "array of strings"},
        {{.command = R"("x")"}, "command must be an array"},
        {{.count = "{}"}, "exactly one key"},
        {{.count = R"({"per_slot":0})"}, "per_slot must be 1"},
        {{.count = R"({"per_slot":"1"})"}, "per_slot must be an integer"},
        {{.count = R"({"per_thing":1})"}, "Extraneous key (per_thing)"},
    };
    for (const Fault& fault : faults) expect_refused(fault);
}

TEST(JobspecValidation, NamesFaultsOfResources) {
    const Fault faults[] = {
        {{.resources = "[]"}, "exactly one entry"},
        {{.resources = "{}"}, "resources must be an array"},
        {{.resources = R"([{"type":"slot"}])"}, "Missing key (count)"},
        {{.resources = R"([{"count":1}])"}, "Missing key (type)"},
        {{.resources = R"([{"type":"slot","count":1,"label":"task"}])"}, "Missing key (with)"},
        {{.resources = R"([{"type":"slot","count":0,"with":[],"label":"task"}])"}, "slot count"},
        {{.resources = R"([{"type":"slot","count":"2-4","with":[],"label":"task"}])"},
         "slot count must be an integer"},
        {{.resources = R"([{"type":"slot","count":1,"with":[],"label":"task"}])"}, "contain core"},
        {{.resources = R"([{"type":"slot","count":1,"with":[{"type":"socket","count":1}],)"
                       R"("label":"task"}])"},
         "Unsupported resource type 'socket'"},
        {{.resources = R"([{"type":"blade","count":1,"with":[],"label":"task"}])"},
         "Unsupported resource type 'blade'"},
        {{.resources = R"([{"type":"slot","count":1,"with":[{"type":"core","count":1}],)"
                       R"("label":"other"}])"},
         "not the label"},
        {{.resources = R"([{"type":"slot","count":1,"with":[],"label":"task","x":1}])"},
         "Extraneous key (x)"},
        {{.resources = R"([{"type":"node","count":2000000000,"with":[{"type":"slot","count":9,)"
                       R"("with":[{"type":"core","count":1}],"label":"task"}]}])"},
         "slot count of"},
        {{.resources = R"([{"type":"node","count":1}])"}, "exactly one resource, a slot"},
    };
    for (const Fault& fault : faults) expect_refused(fault);
}

TEST(JobspecValidation, NeedsVersion1) {
    EXPECT_THAT(Jobspec::parse("{}").error().text(), HasSubstr("Missing key (attributes)"));
    EXPECT_THAT(Jobspec::parse(R"({"attributes":{},"tasks":[],"resources":[],"version":2})")
                    .error()
                    .text(),
                HasSubstr("version must be 1"));
    EXPECT_THAT(Jobspec::parse("{").error().text(), HasSubstr("invalid JSON"));
}

TEST(SignedJobspec, HasTheBytesOfMechanismNone) {
    EXPECT_EQ(sign_none("{}", UserId{1000}),
              "dmVyc2lvbgBpMQB1c2VyaWQAaTEwMDAAbWVjaGFuaXNtAHNub25lAA==.e30=.none");
}

TEST(SignedJobspec, RoundTrips) {
    const auto unwrapped = unwrap_signed(sign_none("{\"a\":1}", UserId{7}));
    ASSERT_TRUE(unwrapped);
    EXPECT_EQ(unwrapped->jobspec, "{\"a\":1}");
    EXPECT_EQ(unwrapped->userid, UserId{7});
    EXPECT_EQ(unwrapped->mechanism, "none");
}

TEST(SignedJobspec, RefusesWhatIsMalformed) {
    const std::string good = sign_none("{}", UserId{7});
    const std::string_view view = good;
    EXPECT_FALSE(unwrap_signed(""));
    EXPECT_FALSE(unwrap_signed("a.b"));
    EXPECT_FALSE(unwrap_signed(".."));
    EXPECT_FALSE(unwrap_signed(view.substr(1)));
    EXPECT_FALSE(unwrap_signed(view.substr(0, view.size() - 1)));
    EXPECT_FALSE(unwrap_signed("dmVyc2lvbgBpMQA=.e30=.none"));  // only a version
}

}  // namespace
}  // namespace sluice
