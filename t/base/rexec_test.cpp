#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <boost/asio/io_context.hpp>

#include "base/rexec/server.hpp"

namespace sluice {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A server whose responses are kept, and requests of clients to it.
struct Fixture {
    boost::asio::io_context io;
    std::vector<Message> responses;
    std::vector<std::string> logged;
    RexecServer server{{.io = io,
                        .rank = 2,
                        .uri = [] { return std::string{"local:///tmp/s"}; },
                        .respond = [this](Message message) { responses.push_back(message); },
                        .log = [this](LogLevel, const std::string& text) {
                            logged.push_back(text);
                        }}};

    void send(std::string_view method, const std::string& payload, std::uint8_t flags = 0,
              const std::string& sender = "client", Matchtag tag = 1) {
        Message request = Message::request("rexec." + std::string{method}, 2);
        request.flags |= flags;
        request.routes = {sender, "broker"};
        request.aux2 = tag;
        if (!payload.empty()) request.set_json(*parse_json_object(payload));
        EXPECT_TRUE(server.serve(method, request));
    }
    /// The responses as "type:detail" words, output as its text.
    std::vector<std::string> words() const {
        std::vector<std::string> all;
        for (const Message& message : responses) {
            if (message.errnum()) {
                all.push_back(fmt::format("error {}", message.errnum()));
                continue;
            }
            const JsonObject object =
                message.payload ? *parse_json_object(message.text()) : JsonObject{};
            JsonReader in{object};
            const std::string type = in.string_or("type", "");
            if (type == "output") {
                const auto io = decode_io(in.object("io"));
                all.push_back(io->eof ? io->stream + " eof" : io->stream + ": " + io->data);
            } else if (type == "finished") {
                all.push_back(fmt::format("finished {}", in.integer("status")));
            } else if (type == "add-credit") {
                all.push_back(
                    fmt::format("credit {}", in.object("channels").at("stdin").as_int64()));
            } else {
                all.push_back(type);
            }
        }
        return all;
    }
};

std::string exec_payload(const std::string& words, int flags, const std::string& extra = "") {
    return R"({"cmd":{"cmdline":)" + words + R"(,"env":{},"opts":{},"channels":[])" + extra +
           R"(},"flags":)" + std::to_string(flags) + R"(,"local_flags":0})";
}

TEST(RexecExec, StreamsOutputStatusAndEnds) {
    Fixture rexec;
    rexec.send("exec", exec_payload(R"(["sh","-c","echo hi; exit 3"])", 11),
               message_flag::streaming);
    rexec.io.run();
    const auto words = rexec.words();
    ASSERT_GE(words.size(), 2u);
    EXPECT_EQ(words[0], "started");
    EXPECT_EQ(words[1], "credit 4194304");
    EXPECT_THAT(words, testing::Contains("stdout: hi\n"));
    EXPECT_THAT(words, testing::Contains("stdout eof"));
    EXPECT_THAT(words, testing::Contains("stderr eof"));
    EXPECT_THAT(words, testing::Contains("finished 768"));
    EXPECT_EQ(words.back(), fmt::format("error {}", ENODATA));
    EXPECT_EQ(rexec.server.size(), 0u);
}

TEST(RexecExec, GivesItsBrokersUriAndNotTheCallers) {
    Fixture rexec;
    const std::string payload =
        R"({"cmd":{"cmdline":["sh","-c","echo $FLUX_URI${FLUX_PROXY_REMOTE}"],)"
        R"("env":{"FLUX_URI":"local:///other","FLUX_PROXY_REMOTE":"h","PATH":"/usr/bin:/bin"}},)"
        R"("flags":1})";
    rexec.send("exec", payload, message_flag::streaming);
    rexec.io.run();
    EXPECT_THAT(rexec.words(), testing::Contains("stdout: local:///tmp/s\n"));
}

TEST(RexecExec, AnswersAProgramThatCannotStartWithOneError) {
    Fixture rexec;
    rexec.send("exec", exec_payload(R"(["/no/such/program"])", 3), message_flag::streaming);
    ASSERT_EQ(rexec.responses.size(), 1u);
    EXPECT_EQ(rexec.responses[0].errnum(), static_cast<unsigned>(ENOENT));
    EXPECT_EQ(rexec.responses[0].text(), "error launching process: No such file or directory");
}

TEST(RexecExec, RefusesBadRequests) {
    Fixture rexec;
    for (const std::string& payload :
         {std::string{"{}"}, exec_payload("[]", 3), exec_payload(R"(["true"])", 64),
          exec_payload(R"([1])", 3),
          exec_payload(R"(["true"])", 3, R"(,"opts":{"stdin_BUFSIZE":"x"})")}) {
        rexec.responses.clear();
        rexec.send("exec", payload, message_flag::streaming);
        ASSERT_EQ(rexec.responses.size(), 1u) << payload;
        EXPECT_EQ(rexec.responses[0].errnum(), static_cast<unsigned>(EPROTO)) << payload;
    }
}

TEST(RexecExec, KnowsWhatBackgroundProcessesCannotHave) {
    Fixture rexec;
    const auto text = [&](const std::string& payload, std::uint8_t flags) {
        rexec.responses.clear();
        rexec.send("exec", payload, flags);
        return std::string{rexec.responses.front().text()};
    };
    EXPECT_EQ(text(exec_payload(R"(["true"])", 16), message_flag::streaming),
              "waitable flag only supported in background mode");
    EXPECT_EQ(text(exec_payload(R"(["true"])", 8), 0),
              "write-credit flag is not allowed in background mode");
    const std::string channels =
        R"({"cmd":{"cmdline":["true"],"env":{},"opts":{},"channels":["c"]},"flags":0})";
    EXPECT_EQ(text(channels, 0),
              "auxiliary channels are not allowed in background mode");
}

TEST(RexecWrite, ReachesTheProcessOfTheSameSenderAndTagOnly) {
    Fixture rexec;
    rexec.send("exec", exec_payload(R"(["cat"])", 11), message_flag::streaming);
    const auto write = [&](const std::string& io, const std::string& sender) {
        rexec.send("write", R"({"matchtag":1,"io":)" + io + "}", message_flag::noresponse, sender,
                   0);
    };
    write(R"({"stream":"stdin","rank":"0","data":"not mine"})", "stranger");
    write(R"({"stream":"stdin","rank":"0","data":"hello\n"})", "client");
    write(R"({"stream":"stdin","rank":"0","eof":true})", "client");
    rexec.io.run();
    const auto words = rexec.words();
    EXPECT_THAT(words, testing::Contains("stdout: hello\n"));
    EXPECT_THAT(words, testing::Contains("credit 6"));
    EXPECT_THAT(words, testing::Not(testing::Contains(HasSubstr("not mine"))));
}

TEST(RexecDisconnect, KillsTheForegroundProcessesOfThatClient) {
    Fixture rexec;
    rexec.send("exec", exec_payload(R"(["sleep","100"])", 3), message_flag::streaming);
    rexec.send("disconnect", "", message_flag::noresponse);
    rexec.io.run();
    EXPECT_EQ(rexec.server.size(), 0u);
    EXPECT_THAT(rexec.words(), testing::Contains("finished 9"));
}

TEST(RexecBackground, IsListedKilledAndWaitedForByLabel) {
    Fixture rexec;
    rexec.send("exec",
               exec_payload(R"(["sh","-c","echo out; sleep 100"])", 16, R"(,"label":"long")"));
    rexec.send("list", "");
    EXPECT_THAT(std::string{rexec.responses[1].text()},
                testing::AllOf(HasSubstr(R"("rank":2)"),
                               HasSubstr(R"("cmd":"sh","label":"long","state":"R")")));
    rexec.send("wait", R"({"pid":-1,"label":"long"})", 0, "client", 2);
    while (rexec.responses.size() < 3 && rexec.io.run_one_for(std::chrono::milliseconds(50)))
        continue;
    rexec.send("kill", R"({"pid":-1,"label":"long","signum":15})", 0, "client", 3);
    rexec.io.run();
    EXPECT_EQ(std::string{rexec.responses.back().text()},
              R"({"status":15,"output":[{"stream":"stdout","rank":"2","data":"out\n"}]})");
    EXPECT_EQ(rexec.server.size(), 0u);
}

TEST(RexecBackground, OutputOfOneThatNobodyWaitsForIsLogged) {
    Fixture rexec;
    rexec.send("exec", exec_payload(R"(["sh","-c","echo remark"])", 0));
    rexec.io.run();
    EXPECT_THAT(rexec.logged, ElementsAre(testing::MatchesRegex("sh\\[[0-9]+\\]: remark"),
                                          testing::MatchesRegex("sh\\[[0-9]+\\]: Exit 0")));
    EXPECT_EQ(rexec.server.size(), 0u);
}

TEST(RexecAttach, FollowsABackgroundProcessAndLeavesItAliveOnDisconnect) {
    Fixture rexec;
    rexec.send("exec", exec_payload(R"(["sh","-c","echo out; exit 1"])", 16, R"(,"label":"x")"));
    rexec.send("attach", R"({"pid":-1,"label":"x","flags":3})", message_flag::streaming, "other",
               5);
    rexec.io.run();
    const auto words = rexec.words();
    EXPECT_THAT(words, testing::IsSupersetOf({"attached", "stdout: out\n", "finished 256"}));
    EXPECT_EQ(words.back(), fmt::format("error {}", ENODATA));
    EXPECT_EQ(rexec.server.size(), 0u);  // who is attached has its status
    EXPECT_THAT(rexec.logged, ElementsAre(testing::MatchesRegex("x\\[[0-9]+\\]: out"),
                                          testing::MatchesRegex("x: sh\\[[0-9]+\\]: Exit 1")));
}

TEST(RexecAttach, IsForOneClientWhichNobodyElseWaitsBeside) {
    Fixture rexec;
    rexec.send("exec", exec_payload(R"(["sleep","100"])", 16, R"(,"label":"x")"));
    const auto attach = [&](const std::string& sender) {
        rexec.responses.clear();
        rexec.send("attach", R"({"pid":-1,"label":"x","flags":3})", message_flag::streaming,
                   sender);
        return rexec.responses.front().errnum();
    };
    EXPECT_EQ(attach("a"), 0u);
    EXPECT_EQ(attach("b"), static_cast<unsigned>(EBUSY));
    rexec.responses.clear();
    rexec.send("wait", R"({"pid":-1,"label":"x"})");
    EXPECT_EQ(rexec.responses.front().text(), "subprocess has a client attached");
    rexec.send("disconnect", "", message_flag::noresponse, "a");
    EXPECT_EQ(rexec.server.size(), 1u);
    rexec.send("wait", R"({"pid":-1,"label":"x"})");
    EXPECT_EQ(attach("b"), static_cast<unsigned>(EBUSY));
    EXPECT_EQ(rexec.responses.front().text(), "subprocess is being waited on");
    rexec.responses.clear();
    rexec.send("attach", R"({"pid":1,"flags":3})", message_flag::streaming);
    EXPECT_EQ(rexec.responses.front().errnum(), static_cast<unsigned>(ENOENT));
}

TEST(RexecExec, WaitsForAClientThatDoesNotRead) {
    Fixture rexec;
    rexec.send("exec", exec_payload(R"(["seq","100000"])", 3), message_flag::streaming);
    Message notice = Message::request("rexec.client-slow");
    notice.routes = {"client", "broker"};
    rexec.server.on_client_pace(notice, true);
    rexec.io.run_for(std::chrono::milliseconds{200});
    EXPECT_LT(rexec.responses.size(), 50000u);  // what one read takes, and a pipe holds the rest
    EXPECT_THAT(rexec.words(), testing::Not(testing::Contains("finished 0")));
    rexec.server.on_client_pace(notice, false);
    rexec.io.run();
    EXPECT_THAT(rexec.words(), testing::Contains("stdout: 100000\n"));
    EXPECT_EQ(rexec.words().back(), fmt::format("error {}", ENODATA));
}

TEST(RexecErrors, NameTheProcess) {
    Fixture rexec;
    rexec.send("kill", R"({"pid":-1,"label":"none","signum":15})");
    rexec.send("wait", R"({"pid":1})");
    EXPECT_EQ(rexec.responses[0].errnum(), static_cast<unsigned>(ESRCH));
    EXPECT_EQ(rexec.responses[0].text(), "label none does not belong to any subprocess");
    EXPECT_EQ(rexec.responses[1].text(), "pid 1 does not belong to any subprocess");
}

}  // namespace
}  // namespace sluice
