#include "base/aio/subprocess.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <map>

namespace sluice {
namespace {

using testing::ElementsAre;

struct Recorder {
    boost::asio::io_context io;
    std::map<std::string, std::vector<std::string>> output;
    std::map<std::string, bool> ended;
    std::size_t written = 0;
    std::optional<int> exit, complete;

    Subprocess::Callbacks callbacks() {
        return {.on_output =
                    [this](std::string_view stream, std::string_view data) {
                        if (data.empty())
                            ended[std::string{stream}] = true;
                        else
                            output[std::string{stream}].emplace_back(data);
                    },
                .on_written = [this](std::string_view, std::size_t bytes) { written += bytes; },
                .on_exit = [this](int status) { exit = status; },
                .on_complete = [this](int status) { complete = status; }};
    }
};

SubprocessOptions shell(std::string text) {
    return {.argv = {"sh", "-c", std::move(text)},
            .stdout_kind = StdioKind::pipe,
            .stderr_kind = StdioKind::pipe};
}

TEST(Subprocess, HandsOutputOverLineByLineAndCompletesLast) {
    Recorder seen;
    auto child = Subprocess::start(
        seen.io, shell("echo one; echo two; printf rest; echo e >&2; exit 3"), seen.callbacks());
    ASSERT_TRUE(child) << child.error().text();
    seen.io.run();
    EXPECT_THAT(seen.output["stdout"], ElementsAre("one\n", "two\n", "rest"));
    EXPECT_THAT(seen.output["stderr"], ElementsAre("e\n"));
    EXPECT_TRUE(seen.ended["stdout"] && seen.ended["stderr"]);
    ASSERT_TRUE(seen.complete);
    EXPECT_EQ(exit_code_of(*seen.complete), 3);
    EXPECT_EQ(describe_wait_status(*seen.complete), "Exited (rc=3)");
}

TEST(Subprocess, WritesStandardInputAndReportsWhatLeft) {
    Recorder seen;
    SubprocessOptions options = shell("cat");
    options.stdin_kind = StdioKind::pipe;
    auto child = Subprocess::start(seen.io, options, seen.callbacks());
    ASSERT_TRUE(child);
    ASSERT_TRUE((*child)->write("stdin", "a\n"));
    ASSERT_TRUE((*child)->write("stdin", "b\n"));
    ASSERT_TRUE((*child)->close("stdin"));
    EXPECT_EQ((*child)->write("stdin", "late").error().errnum(), EPIPE);
    EXPECT_EQ((*child)->write("stdout", "x").error().errnum(), EINVAL);
    seen.io.run();
    EXPECT_THAT(seen.output["stdout"], ElementsAre("a\n", "b\n"));
    EXPECT_EQ(seen.written, 4u);
}

TEST(Subprocess, ChannelIsATwoWaySocketNamedByAVariable) {
    Recorder seen;
    SubprocessOptions options = shell("read x <&$EXTRA; echo got $x >&$EXTRA");
    options.channels = {"EXTRA"};
    auto child = Subprocess::start(seen.io, options, seen.callbacks());
    ASSERT_TRUE(child);
    ASSERT_TRUE((*child)->write("EXTRA", "ping\n"));
    seen.io.run();
    EXPECT_THAT(seen.output["EXTRA"], ElementsAre("got ping\n"));
    EXPECT_TRUE(seen.complete);
}

TEST(Subprocess, ChildGetsNoOtherDescriptorOfOurs) {
    Recorder seen;
    const int ours[] = {::fcntl(STDERR_FILENO, F_DUPFD, 50), ::fcntl(STDERR_FILENO, F_DUPFD, 500)};
    SubprocessOptions options = shell(
        "for fd in 50 500; do [ -e /proc/$$/fd/$fd ] && echo leaked $fd; done\n"
        "for fd in 0 1 2 $EXTRA $MORE; do [ -e /proc/$$/fd/$fd ] || echo lacks $fd; done\n"
        "echo on $EXTRA >&$EXTRA; echo on $MORE >&$MORE");
    options.channels = {"EXTRA", "MORE"};
    auto child = Subprocess::start(seen.io, options, seen.callbacks());
    ASSERT_TRUE(child) << child.error().text();
    seen.io.run();
    for (const int fd : ours) ::close(fd);
    EXPECT_TRUE(seen.output["stdout"].empty()) << seen.output["stdout"].front();
    EXPECT_THAT(seen.output["EXTRA"], ElementsAre("on 3\n"));
    EXPECT_THAT(seen.output["MORE"], ElementsAre("on 4\n"));
    EXPECT_EQ(exit_code_of(*seen.complete), 0);
}

TEST(Subprocess, KillReachesTheProcessGroup) {
    Recorder seen;
    auto child = Subprocess::start(seen.io, shell("sleep 100 & wait"), seen.callbacks());
    ASSERT_TRUE(child);
    ASSERT_TRUE((*child)->kill(SIGKILL));
    seen.io.run();  // ends only when the grandchild's copy of the pipes is closed too
    EXPECT_EQ(exit_code_of(*seen.complete), 128 + SIGKILL);
    EXPECT_EQ((*child)->kill(SIGKILL).error().errnum(), ESRCH);
}

TEST(Subprocess, NamesTheProgramThatCannotStart) {
    boost::asio::io_context io;
    const auto missing = Subprocess::start(io, {.argv = {"/no/such/program"}}, {});
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().errnum(), ENOENT);
    EXPECT_EQ(missing.error().text(), "/no/such/program: No such file or directory");
    EXPECT_EQ(Subprocess::start(io, {.argv = {"/etc/passwd"}}, {}).error().errnum(), EACCES);
    EXPECT_EQ(Subprocess::start(io, {.argv = {"no-such-word"}}, {}).error().errnum(), ENOENT);
    EXPECT_EQ(
        Subprocess::start(io, {.argv = {"true"}, .cwd = "/no/such/folder"}, {}).error().text(),
        "/no/such/folder: No such file or directory");
    EXPECT_EQ(Subprocess::start(io, {.argv = {}}, {}).error().errnum(), EINVAL);
}

TEST(Subprocess, UsesTheGivenEnvironmentAndFolder) {
    Recorder seen;
    SubprocessOptions options = shell("pwd; echo $ONLY; test -z \"$HOME\" && echo none");
    options.environment = {"PATH=/usr/bin:/bin", "ONLY=this"};
    options.cwd = "/";
    auto child = Subprocess::start(seen.io, options, seen.callbacks());
    ASSERT_TRUE(child);
    seen.io.run();
    EXPECT_THAT(seen.output["stdout"], ElementsAre("/\n", "this\n", "none\n"));
}

TEST(Subprocess, CutsALineThatIsTooLong) {
    Recorder seen;
    SubprocessOptions options = shell("head -c 300000 /dev/zero | tr '\\0' x");
    options.line_bytes_max = 100000;
    auto child = Subprocess::start(seen.io, options, seen.callbacks());
    ASSERT_TRUE(child);
    seen.io.run();
    std::size_t total = 0;
    for (const std::string& piece : seen.output["stdout"]) total += piece.size();
    EXPECT_GT(seen.output["stdout"].size(), 1u);
    EXPECT_EQ(total, 300000u);
}

TEST(Subprocess, LeavesNoZombieWhenItsOwnerGoesFirst) {
    Recorder seen;
    pid_t pid = 0;
    {
        auto child = Subprocess::start(seen.io, shell("exit 0"), seen.callbacks());
        ASSERT_TRUE(child);
        pid = (*child)->pid();
    }
    seen.io.run();
    EXPECT_FALSE(seen.exit);
    EXPECT_EQ(::kill(pid, 0), -1);
}

}  // namespace
}  // namespace sluice
