#include "base/rpc/own_instance.hpp"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(OwnInstance, FindsTheListeningSocketsOfBrokers) {
    const auto found = broker_sockets(
        "Num       RefCount Protocol Flags    Type St Inode Path\n"
        "0000000000000000: 00000002 00000000 00010000 0001 01 19 /tmp/flux-a/local-2\n"
        "0000000000000000: 00000002 00000000 00010000 0001 01 20 /tmp/flux-a/local-1\n"
        "0000000000000000: 00000002 00000000 00010000 0001 01 21 /run/dbus/system_bus_socket\n"
        "0000000000000000: 00000003 00000000 00000000 0001 03 22 /tmp/flux-c/local-0\n"
        "0000000000000000: 00000002 00000000 00010000 0001 01 23 @/tmp/flux-d/local-0\n"
        "0000000000000000: 00000002 00000000 00010000 0001 01 24 /tmp/x/local-proxy\n"
        "0000000000000000: 00000002 00000000 00010000 0001 01 25\n"
        "0000000000000000: 00000002 00000000 00010000 0001 01 26 /var/flux/local\n");
    EXPECT_EQ(found, (std::vector<std::string>{"/tmp/flux-a/local-1", "/var/flux/local"}));
}

TEST(OwnInstance, AnEmptyTableHasNone) { EXPECT_TRUE(broker_sockets("").empty()); }

}  // namespace
}  // namespace sluice
