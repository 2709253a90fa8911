#include "resource/probe/hwloc_probe.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace sluice {
namespace {

/// A topology file made from hwloc's synthetic notation by its own tool.
class TopologyFile {
  public:
    explicit TopologyFile(const std::string& synthetic) {
        char pattern[] = "/tmp/sluice-topology-XXXXXX";
        close(mkstemp(pattern));
        path_ = pattern;
        const std::string command =
            "lstopo-no-graphics -i '" + synthetic + "' -f --of xml " + path_ + " 2>/dev/null";
        made_ = std::system(command.c_str()) == 0;
    }
    ~TopologyFile() { unlink(path_.c_str()); }
    bool made() const { return made_; }
    const std::string& path() const { return path_; }

  private:
    std::string path_;
    bool made_ = false;
};

TEST(HwlocProbe, CountsCoresNotThreadsAndKnowsTheirDomains) {
    const TopologyFile file("package:2 numa:2 core:4 pu:2");
    if (!file.made()) GTEST_SKIP() << "no lstopo here";
    const auto node = probe_node({.hostname = "n0", .xml_path = file.path()});
    ASSERT_TRUE(node) << node.error().text();
    EXPECT_EQ(node->hostname, "n0");
    EXPECT_EQ(node->cores.to_string(), "0-15");
    EXPECT_TRUE(node->gpus.empty());
    ASSERT_EQ(node->locality.size(), 6u);
    EXPECT_EQ(node->locality[1].kind, LocalityDomain::Kind::socket);
    EXPECT_EQ(node->locality[1].cores.to_string(), "8-15");
    EXPECT_EQ(node->locality[2].kind, LocalityDomain::Kind::numa);
    EXPECT_EQ(node->locality[2].cores.to_string(), "0-3");
}

TEST(HwlocProbe, ReadsTheFileThatTheEnvironmentNames) {
    const TopologyFile file("package:1 core:3 pu:1");
    if (!file.made()) GTEST_SKIP() << "no lstopo here";
    setenv("FLUX_HWLOC_XMLFILE", file.path().c_str(), 1);
    const auto node = probe_node({});
    unsetenv("FLUX_HWLOC_XMLFILE");
    ASSERT_TRUE(node);
    EXPECT_EQ(node->cores.size(), 3u);
}

TEST(HwlocProbe, RespectsTheBindingOfTheProcess) {
    const auto all = probe_node({.hostname = {}, .xml_path = {}, .unrestricted = true});
    ASSERT_TRUE(all);
    ASSERT_FALSE(all->cores.empty());
    cpu_set_t before, one;
    ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
    CPU_ZERO(&one);
    for (int cpu = CPU_SETSIZE; cpu-- > 0;) {
        if (!CPU_ISSET(cpu, &before)) continue;
        CPU_SET(cpu, &one);
        break;
    }
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    const auto bound = probe_node({});
    ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
    ASSERT_TRUE(bound);
    EXPECT_EQ(bound->cores.to_string(), "0") << "numbered among those that may be used";
}

TEST(HwlocProbe, NamesAFileItCannotUse) {
    const auto missing = probe_node({.hostname = {}, .xml_path = "/nonexistent/topology.xml"});
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().errnum(), ENOENT);
    EXPECT_NE(missing.error().text().find("/nonexistent/topology.xml"), std::string::npos);
    const auto garbage = probe_node({.hostname = {}, .xml_path = "/proc/self/exe"});
    ASSERT_FALSE(garbage);
    EXPECT_EQ(garbage.error().errnum(), EINVAL);
}

TEST(HwlocProbe, GivesTheTopologyAsXml) {
    const auto xml = probe_topology_xml({});
    ASSERT_TRUE(xml);
    EXPECT_NE(xml->find("<topology"), std::string::npos);
}

}  // namespace
}  // namespace sluice
