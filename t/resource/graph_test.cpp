// The general graph: its readers and what they refuse, requests, time, match and session.
#include <gtest/gtest.h>

#include "resource/plan/timeline.hpp"
#include "resource/probe/hwloc_probe_graph.hpp"
#include "resource/query/session.hpp"
#include "resource/reader/reader.hpp"
#include "t/resource/graph_builders.hpp"

namespace sluice {
namespace {

using test::want;

std::string fault(const Result<void>& result) {
    return result ? "" : result.error().text();
}

// A recipe: a cluster of `nodes` nodes with `cores` cores.
std::string recipe(std::string_view more_nodes = "", std::string_view more_edges = "") {
    return fmt::format(R"(<?xml version="1.0"?><graphml>
<key id="root" for="node" attr.name="root" attr.type="int"><default>0</default></key>
<key id="type" for="node" attr.name="type"/><key id="basename" for="node" attr.name="basename"/>
<key id="size" for="node" attr.name="size"/><key id="scale" for="edge" attr.name="multi_scale"/>
<key id="scope" for="edge" attr.name="id_scope"/>
<graph><node id="c"><data key="root">1</data><data key="type">cluster</data>
<data key="basename">tiny</data></node>
<node id="n"><data key="type">node</data></node><node id="k"><data key="type">core</data></node>
{}<edge id="cn" source="c" target="n"><data key="scale">2</data></edge>
<edge id="nk" source="n" target="k"><data key="scale">4</data></edge>{}</graph></graphml>)",
                       more_nodes, more_edges);
}

TEST(Timeline, TellsWhatIsFreeAndWhen) {
    Timeline line{4};
    line.add({10, 10, 3});
    line.add({15, 10, 1});
    EXPECT_EQ(line.free_during(0, 10), 4u);
    EXPECT_EQ(line.free_during(0, 11), 1u);
    EXPECT_EQ(line.free_during(15, 1), 0u);
    EXPECT_EQ(line.free_at(20), 3u);
    EXPECT_FALSE(line.fits(0, 100, 1));
    EXPECT_TRUE(line.fits(25, plan_end, 4));
    EXPECT_EQ(line.next_change(11), 15);
    line.remove({10, 10, 3});
    line.remove({15, 10, 1});
    EXPECT_TRUE(line.idle());
    EXPECT_EQ(line, Timeline{4});
}

TEST(Request, CountsAreNumbersRangesAndSets) {  // RFC 14, 45, 46
    const auto largest = [](const char* count, std::uint64_t available) {
        const auto range = CountRange::from_json(*parse_json(count));
        return range ? range->largest(available) : UINT64_MAX;
    };
    EXPECT_EQ(largest("4", 9), 4u);
    EXPECT_EQ(largest("4", 3), 0u);
    EXPECT_EQ(largest("\"2-8:2\"", 7), 6u);
    EXPECT_EQ(largest("\"2-64:2:*\"", 40), 32u);
    EXPECT_EQ(largest("\"2-300:2:^\"", 255), 16u);
    EXPECT_EQ(largest("\"3+\"", 7), 7u);
    EXPECT_EQ(largest("\"1,4,6\"", 5), 4u);
    EXPECT_EQ(largest(R"({"min":1,"max":5,"operator":"+","operand":2})", 4), 3u);
    EXPECT_EQ(largest(R"({"min":"2"})", 9), 9u);
}

TEST(Request, ImpossibleCountsAreRefused) {
    for (const char* count :
         {"0", "-1", "1.5", "\"\"", "\"5-2\"", "\"2-4:0\"", "\"1-4:2:^\"", "\"2-4:1:*\"",
          "\"2-4:2:%\"", "99999999999999999999", "4294967296", "[1,2]", "\"0,3\"", "\"a\"", "true",
          R"({"max":2})", R"({"min":1,"max":2})",
          R"({"min":3,"max":2,"operator":"+","operand":1})"})
        EXPECT_FALSE(CountRange::from_json(*parse_json(count))) << count;
}

TEST(GraphReaders, AGrugRecipeMakesItsVertices) {
    TypedGraph graph;
    ASSERT_EQ(fault(read_grug(recipe(), graph)), "");
    EXPECT_EQ(graph.vertex_count(), 1u + 2 + 8);
    EXPECT_EQ(graph.edge_count(), 10u);
    EXPECT_EQ(graph.at_path("/tiny0/node1/core3").size(), 1u);
    EXPECT_EQ(graph.of_rank(1).size(), 1u);
}

TEST(GraphReaders, WrongRecipesAreRefusedWithTheReason) {
    const auto refused = [](const std::string& text) {
        TypedGraph graph;
        return fault(read_grug(text, graph));
    };
    EXPECT_EQ(refused(recipe("", R"(<edge id="x" source="k" target="gone"/>)")),
              "edge x: there is no node gone");
    EXPECT_EQ(refused(recipe("", R"(<edge id="x" source="k" target="n"/>)")),
              "edge x: n contains itself");
    EXPECT_EQ(refused(recipe(R"(<node id="n"/>)")), "node n is there twice");
    EXPECT_EQ(refused(recipe(R"(<node id="m"><data key="type">memory</data>)"
                             R"(<data key="size">-2</data></node>)",
                             R"(<edge id="x" source="n" target="m"/>)")),
              "edge x: size must be 1 to 2147483647, found '-2'");
    EXPECT_EQ(refused(recipe("", R"(<edge id="x" source="k" target="c2"><data key="scale">)"
                                 R"(99999999999</data></edge>)")),
              "edge x: there is no node c2");
    EXPECT_NE(refused("<graphml><graph>"), "");
    EXPECT_NE(refused(""), "");
    std::string deep;
    for (int i = 0; i < 100; ++i) deep += "<a>";
    EXPECT_EQ(refused(deep), "line 1: nested over 64 deep");
    EXPECT_EQ(refused("<!DOCTYPE x [<!ENTITY a \"a\"><!ENTITY b \"&a;&a;\">]><graphml/>"),
              "line 1: entity declarations are refused: write the text itself");
}

std::string jgf_node(int id, const char* type, const std::string& path) {
    return fmt::format(R"({{"id":"{}","metadata":{{"type":"{}","id":{},"rank":-1,)"
                       R"("paths":{{"containment":"{}"}}}}}})", id, type, id, path);
}
std::string jgf_edge(int from, int to) {
    return fmt::format(R"({{"source":"{}","target":"{}"}})", from, to);
}
std::string jgf(const std::string& nodes, const std::string& edges) {
    return fmt::format(R"({{"graph":{{"nodes":[{}],"edges":[{}]}}}})", nodes, edges);
}

TEST(GraphReaders, WrongJgfIsRefusedWithTheReason) {
    const auto refused = [](const std::string& text) {
        TypedGraph graph;
        return fault(read_jgf(text, graph));
    };
    const std::string two =
        jgf_node(0, "cluster", "/c0") + "," + jgf_node(1, "node", "/c0/node1");
    EXPECT_EQ(refused(jgf(two, jgf_edge(0, 1))), "");
    EXPECT_EQ(refused(jgf(two, jgf_edge(0, 7))), "edge 0 -> 7: there is no node 7");
    EXPECT_EQ(refused(jgf(two, jgf_edge(0, 1) + "," + jgf_edge(1, 0))),
              "vertex cluster0 contains itself: the edges form a cycle");
    EXPECT_EQ(refused(jgf(two, jgf_edge(0, 1) + "," + jgf_edge(0, 1))),
              "edge cluster0 -> node1 is there twice");
    EXPECT_EQ(refused(jgf(jgf_node(0, "a", "/a0") + "," + jgf_node(0, "b", "/b0"), "")),
              "node 0 is there twice");
    EXPECT_EQ(refused(jgf(jgf_node(0, "a", "/a0") + "," + jgf_node(1, "b", "/b0"), "")),
              "/b0: subsystem containment has the root a0 already");
    const std::string negative =
        R"({"id":"0","metadata":{"type":"a","size":-4,"paths":{"x":"/a"}}})";
    EXPECT_EQ(refused(jgf(negative, "")), "node 0: size -4 is negative");
    EXPECT_EQ(refused(jgf(R"({"id":"0","metadata":{"type":"a","paths":{"x":"a"}}})", "")),
              "node 0: path 'a' must begin with / and name something");
    EXPECT_NE(refused("{}"), "");
    std::string chain = jgf_node(0, "a", "/a0"), path = "/a0", edges;
    for (int i = 1; i < 200; ++i) {
        path += "/a" + std::to_string(i);
        chain += "," + jgf_node(i, "a", path);
        edges += (i > 1 ? "," : "") + jgf_edge(i - 1, i);
    }
    EXPECT_EQ(refused(jgf(chain, edges)), "vertex a65 lies over 64 levels deep");
}

constexpr std::string_view small_R =
    R"({"version":1,"execution":{"R_lite":[{"rank":"0-1","children":{"core":"0-3","gpu":"0"}}],)"
    R"("nodelist":["n[0-1]"],"properties":{"fast":"1"}}})";

TEST(GraphReaders, RBecomesAGraphWithProperties) {
    TypedGraph graph;
    ASSERT_EQ(fault(read_rv1(small_R, graph)), "");
    EXPECT_EQ(graph.vertex_count(), 1u + 2 + 10);
    EXPECT_TRUE(graph[graph.at_path("/cluster0/n1").front()].properties.contains("fast"));
    TypedGraph other;
    EXPECT_NE(fault(read_rv1(R"({"version":1,"execution":{"R_lite":[{"rank":"0-1"}],)"
                             R"("nodelist":["n0"]}})", other)), "");
    TypedGraph third;
    EXPECT_EQ(fault(read_rv1(R"({"version":1,"execution":{"R_lite":[{"rank":"0"},{"rank":"0"}],)"
                             R"("nodelist":["n0"]}})", third)), "rank 0 is in R_lite twice");
}

TEST(GraphReaders, HwlocXmlMustBeATopology) {
    TypedGraph graph;
    EXPECT_EQ(fault(read_hwloc("<nonsense/>", {}, graph)),
              "not an hwloc topology; make one with lstopo --of xml");
}

TEST(GraphScheduler, ASlotsPartsStayUnderOneSocket) {
    const auto scheduler = test::scheduler({.racks = 1, .nodes = 1}, "low");
    const auto apart = scheduler->match(
        test::job({want("slot", 2, {want("core", 3), want("gpu", 1)})}), MatchOp::allocate, 1);
    ASSERT_TRUE(apart);
    EXPECT_EQ(test::text(*scheduler, *apart),
              "      ---------------core0[1:x]\n      ---------------core1[1:x]\n"
              "      ---------------core2[1:x]\n      ---------------gpu0[1:x]\n"
              "      ------------socket0[1:s]\n"
              "      ---------------core4[1:x]\n      ---------------core5[1:x]\n"
              "      ---------------core6[1:x]\n      ---------------gpu1[1:x]\n"
              "      ------------socket1[1:s]\n"
              "      ---------node0[1:s]\n      ------rack0[1:s]\n      ---cluster0[1:s]\n");
}

TEST(GraphScheduler, ReservesWhenTheFirstJobEnds) {
    const auto scheduler = test::scheduler({.nodes = 1}, "high");
    const auto node = test::job({want("slot", 1, {want("node", 1)})}, 100);
    EXPECT_EQ(scheduler->match(node, MatchOp::allocate, 1)->kind, MatchAnswer::Kind::matched);
    EXPECT_EQ(scheduler->match(node, MatchOp::allocate, 2)->kind, MatchAnswer::Kind::busy);
    EXPECT_EQ(scheduler->match(node, MatchOp::allocate_orelse_reserve, 2)->at, 100);
    EXPECT_EQ(scheduler->match(node, MatchOp::allocate_orelse_reserve, 3)->at, 200);
    const auto three = test::job({want("slot", 3, {want("socket", 1)})}, 100);
    EXPECT_EQ(scheduler->match(three, MatchOp::allocate_orelse_reserve, 4)->kind,
              MatchAnswer::Kind::unsatisfiable);
    EXPECT_FALSE(scheduler->match(test::job({want("quark", 1)}), MatchOp::allocate, 5));
    ASSERT_TRUE(scheduler->cancel(2));
    EXPECT_EQ(scheduler->match(node, MatchOp::allocate_orelse_reserve, 5)->at, 100);
    EXPECT_FALSE(scheduler->cancel(77));
}

TEST(GraphScheduler, AFailedUpdateChangesNothing) {
    GraphScheduler::Options options;
    auto graph = std::make_unique<TypedGraph>();
    ASSERT_TRUE(read_rv1(small_R, *graph));
    const auto scheduler = *GraphScheduler::make(std::move(graph), options);
    const auto take = [&](JobKey job, std::string_view R) {
        const auto done = scheduler->update(job, GraphFormat::rv1exec, R, 0, 10, false);
        return done ? "" : done.error().text();
    };
    const auto R = [](std::string_view rank, std::string_view cores, std::string_view host) {
        return fmt::format(R"({{"version":1,"execution":{{"R_lite":[{{"rank":"{}","children":)"
                           R"({{"core":"{}"}}}}],"nodelist":["{}"]}}}})", rank, cores, host);
    };
    EXPECT_EQ(take(1, R("0", "0-1", "n0")), "");
    EXPECT_EQ(take(2, R("0", "1-2", "n0")), "core1 is unavailable: another job has it then");
    EXPECT_EQ(take(2, R("9", "0", "n9")), "R: the graph has no rank 9");
    EXPECT_EQ(take(2, R("1", "0-7", "n1")), "R: the graph has no /cluster0/n1/core4");
    EXPECT_EQ(take(2, R("1", "0", "n0")), "R: rank 1 is n1 here, not n0");
    ASSERT_TRUE(scheduler->cancel(1));
    EXPECT_EQ(scheduler->ledger().vertices_in_use(), 0u);
}

TEST(GraphScheduler, ConstraintsSpeakOfNodes) {
    auto graph = std::make_unique<TypedGraph>();
    ASSERT_TRUE(read_rv1(small_R, *graph));
    const auto scheduler = *GraphScheduler::make(std::move(graph), {});
    JobRequest job = test::job({want("slot", 1, {want("core", 1)})});
    job.constraint = *Constraint::from_json(*parse_json(R"({"properties":["fast"]})"));
    const auto fast = scheduler->match(job, MatchOp::allocate, 1);
    ASSERT_TRUE(fast);
    EXPECT_NE(test::text(*scheduler, *fast, PlacementFormat::rv1_nosched).find("n1"),
              std::string::npos);
    job.constraint = *Constraint::from_json(
        *parse_json(R"({"and":[{"properties":["fast"]},{"properties":["^fast"]}]})"));
    EXPECT_EQ(scheduler->match(job, MatchOp::allocate, 2)->kind, MatchAnswer::Kind::busy);
    EXPECT_EQ(scheduler->match(job, MatchOp::satisfiability, 2)->kind,
              MatchAnswer::Kind::unsatisfiable);
}

class Session : public testing::Test {
  protected:
    Session()
        : session_(test::scheduler({.nodes = 1}, "low"), {},
                   {[this](const std::string& path) -> Result<std::string> {
                        if (!files_.contains(path)) return fail(ENOENT, "{}", path);
                        return files_.at(path);
                    },
                    parse_json_object, [] { return 0.0; }}) {
        files_["core"] = R"({"version":1,"resources":[{"type":"slot","count":1,"label":"x",)"
                         R"("with":[{"type":"core","count":1}]}],"tasks":[],"attributes":{}})";
        files_["bad"] = R"({"version":1,"resources":[{"type":"slot","count":0}],"tasks":[],)"
                        R"("attributes":{}})";
    }
    std::string run(std::string_view line) {
        const auto reply = session_.execute(line);
        return reply.results + reply.out + reply.err;
    }
    std::map<std::string, std::string> files_;
    QuerySession session_;
};

TEST_F(Session, AnswersAsTheFieldKnowsIt) {
    EXPECT_EQ(run("match allocate core"),
              "      ---------------core0[1:x]\n      ------------socket0[1:s]\n"
              "      ---------node0[1:s]\n      ------rack0[1:s]\n      ---cluster0[1:s]\n"
              "INFO: =============================\nINFO: JOBID=1\nINFO: RESOURCES=ALLOCATED\n"
              "INFO: SCHEDULED AT=Now\nINFO: =============================\n");
    EXPECT_EQ(run("info 1"), "INFO: 1, ALLOCATED, 0, core, 0\n");
    EXPECT_EQ(run("info 9"), "info: ERROR: nonexistent job 9\n");
    EXPECT_EQ(run("find jobid-alloc=1"),
              "      ---------------core0[1:x]\n      ------------socket0[1:x]\n"
              "      ---------node0[1:x]\n      ------rack0[1:x]\n      ---cluster0[1:x]\n"
              "INFO: =============================\nINFO: EXPRESSION=\"jobid-alloc=1\"\n"
              "INFO: =============================\n");
    EXPECT_EQ(run("cancel 1 stats"),
              "INFO: =============================\nINFO: CANCEL PREORDER COUNT=\"12\"\n"
              "INFO: CANCEL POSTORDER COUNT=\"5\"\nINFO: =============================\n");
    EXPECT_EQ(run("list"), "INFO: 1, CANCELED, 0, core, 0\n");
    EXPECT_EQ(run("cancel 1"), "cancel: ERROR: nonexistent job 1\n");
    EXPECT_EQ(run("match satisfiability core"),
              "INFO: =============================\nINFO: Satisfiable request\n"
              "INFO: =============================\n");
}

TEST_F(Session, SaysWhatIsWrong) {
    EXPECT_EQ(run("match allocate gone"), "ERROR: can't open gone\n");
    EXPECT_EQ(run("match"), "ERROR: malformed command\n");
    EXPECT_EQ(run("match grab core"), "ERROR: unknown subcmd grab\n");
    EXPECT_EQ(run("frobnicate"), "ERROR: unknown command: frobnicate; try help\n");
    EXPECT_EQ(run("# a comment"), "");
    EXPECT_NE(run("match allocate bad").find("Jobspec error for 1: count 0 is impossible"),
              std::string::npos);
    EXPECT_EQ(run("get-status /nowhere"), "Could not find path /nowhere in resource graph.\n");
    EXPECT_EQ(run("set-status /cluster0/rack0 sideways"), "ERROR: unrecognized status\n");
    EXPECT_EQ(run("find status=sideways"),
              "find: ERROR: invalid criteria: status=sideways: status=sideways\n");
    EXPECT_EQ(run("remove /cluster0 true"),
              "ERROR: can't remove subgraph \nERROR: /cluster0 is the root: nothing would be "
              "left\n");
}

}  // namespace
}  // namespace sluice
