#include "pmi/simple_codec.hpp"

#include <gtest/gtest.h>

namespace sluice::pmi {
namespace {

TEST(PmiField, EndsAtABlankExceptValues) {
    constexpr std::string_view line = "cmd=put kvsname=K key=a.b value=x y=z  w";
    EXPECT_EQ(field(line, "cmd"), "put");
    EXPECT_EQ(field(line, "key"), "a.b");
    EXPECT_EQ(field(line, "value"), "x y=z  w");
    EXPECT_EQ(field(line, "y"), std::nullopt);  // inside the value
    EXPECT_EQ(field("cmd=abort exitcode=3 error_msg=out of luck", "error_msg"), "out of luck");
    EXPECT_EQ(field("cmd=get key=", "key"), "");
    EXPECT_EQ(field("lonely key=a", "key"), "a");
    EXPECT_EQ(field("cmd=get_result rc=0 msg=success value=a b", "value"), "a b");  // MPICH's hydra
}

TEST(PmiIntegerField, RefusesWhatIsNoNumber) {
    EXPECT_EQ(integer_field("cmd=x rc=-1 a=b", "rc"), -1);
    EXPECT_EQ(integer_field("cmd=x rc=1x", "rc"), std::nullopt);
    EXPECT_EQ(integer_field("cmd=x rc=", "rc"), std::nullopt);
    EXPECT_EQ(integer_field("cmd=x rc=99999999999", "rc"), std::nullopt);
}

TEST(PmiLineBuffer, JoinsPiecesAndTellsOverflow) {
    LineBuffer lines;
    lines.append("cmd=in");
    EXPECT_EQ(lines.next(), std::nullopt);
    lines.append("it\ncmd=b\nrest");
    EXPECT_EQ(lines.next(), "cmd=init");
    EXPECT_EQ(lines.next(), "cmd=b");
    EXPECT_EQ(lines.next(), std::nullopt);
    EXPECT_FALSE(lines.overflow());
    lines.append(std::string(line_bytes_max, 'x'));
    EXPECT_TRUE(lines.overflow());
}

TEST(PmiStatus, SurvivesTheWayThroughErrno) {
    for (const Status status : {Status::fail, Status::bad_key, Status::key_length,
                                Status::value_length, Status::length, Status::size})
        EXPECT_EQ(to_status(Error{to_errno(status)}), status);
}

}  // namespace
}  // namespace sluice::pmi
