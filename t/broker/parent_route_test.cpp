#include "broker/overlay/parent_route.hpp"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(NamedEndpoint, IsOneWithANameInIt) {
    EXPECT_EQ(NamedEndpoint::parse("tcp://pod-0.pods.default.svc.cluster.local:8050"),
              (NamedEndpoint{"pod-0.pods.default.svc.cluster.local", "8050"}));
    for (const char* none : {"tcp://192.0.2.7:8050", "tcp://[2001:db8::7]:8050", "ipc:///tmp/x:1",
                             "tcp://*:8050", "tcp://eth0;pod-0:8050", "tcp://:8050", "tcp:", ""})
        EXPECT_EQ(NamedEndpoint::parse(none), std::nullopt) << none;
}

class Route : public testing::Test {
  protected:
    using Change = ParentRoute::Change;
    ParentRoute route{"8050"};
};

TEST_F(Route, TakesTheFirstAddressThatAppears) {
    EXPECT_EQ(route.on_addresses({}), std::nullopt);
    EXPECT_FALSE(route.has_address());
    EXPECT_EQ(route.on_addresses({"10.0.0.1", "10.0.0.2"}), (Change{"", "tcp://10.0.0.1:8050"}));
    EXPECT_TRUE(route.has_address());
}

TEST_F(Route, KeepsAnAddressThatIsStillInTheList) {
    route.on_addresses({"10.0.0.1"});
    EXPECT_EQ(route.on_addresses({"10.0.0.2", "10.0.0.1"}), std::nullopt);
}

TEST_F(Route, KeepsItWhileTheNameHasNone) {
    route.on_addresses({"10.0.0.1"});
    route.on_silence();
    EXPECT_EQ(route.on_addresses({}), std::nullopt);
    EXPECT_TRUE(route.has_address());
}

TEST_F(Route, FollowsANameThatHasMoved) {
    route.on_addresses({"10.0.0.1"});
    route.on_connected();
    EXPECT_EQ(route.on_addresses({"10.0.0.9"}),
              (Change{"tcp://10.0.0.1:8050", "tcp://10.0.0.9:8050"}));
}

TEST_F(Route, TriesTheOtherAddressesOfAParentThatIsSilent) {
    const std::vector<std::string> all{"10.0.0.1", "10.0.0.2", "[fd00::1]"};
    route.on_addresses(all);
    route.on_silence();
    EXPECT_EQ(route.on_addresses(all), (Change{"tcp://10.0.0.1:8050", "tcp://10.0.0.2:8050"}));
    EXPECT_EQ(route.on_addresses(all), std::nullopt) << "a new one is given its time";
    route.on_silence();
    EXPECT_EQ(route.on_addresses(all), (Change{"tcp://10.0.0.2:8050", "tcp://[fd00::1]:8050"}));
    route.on_silence();
    EXPECT_EQ(route.on_addresses(all), (Change{"tcp://[fd00::1]:8050", "tcp://10.0.0.1:8050"}));
}

TEST_F(Route, StaysWithTheOnlyAddressHoweverSilent) {
    route.on_addresses({"10.0.0.1"});
    route.on_silence();
    EXPECT_EQ(route.on_addresses({"10.0.0.1"}), std::nullopt);
}

}  // namespace
}  // namespace sluice
