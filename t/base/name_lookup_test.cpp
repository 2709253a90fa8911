#include "base/aio/name_lookup.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>

namespace sluice {
namespace {

using Answers = std::vector<std::vector<std::string>>;

/// The answers that one question about `name` has had, once `count` are there.
Answers answers(const std::string& name, std::size_t count) {
    boost::asio::io_context io;
    Answers all;
    NameLookup lookup(io, name, [&](const std::vector<std::string>& addresses) {
        all.push_back(addresses);
        if (all.size() == count) io.stop();
    });
    lookup.ask();
    io.run_for(std::chrono::seconds(20));
    return all;
}

TEST(NameLookup, TellsIPv4FirstAndThenAll) {
    const Answers got = answers("localhost", 2);
    ASSERT_EQ(got.size(), 2u);
    EXPECT_THAT(got[0], testing::Each("127.0.0.1"));
    EXPECT_THAT(got[1], testing::Contains("127.0.0.1"));
}

TEST(NameLookup, TellsThatThereIsNone) {
    EXPECT_EQ(answers("a name with blanks", 1), (Answers{{}}));
}

TEST(NameLookup, EndsWithoutWaitingForAnAnswer) {
    boost::asio::io_context io;
    {
        NameLookup lookup(io, "localhost", [](const auto&) { FAIL() << "nobody is there for it"; });
        for (int i = 0; i < 100; ++i) lookup.ask();
    }
    io.run_for(std::chrono::milliseconds(50));
}

}  // namespace
}  // namespace sluice
