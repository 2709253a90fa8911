// Drives the real flux-shell over socket pairs, in the part of broker and exec manager: orders go
// to the zygote, requests of the shell are answered, what it said is looked at.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <set>

#include "base/aio/fd_passing.hpp"
#include "base/rfc/eventlog.hpp"
#include "base/rfc/message.hpp"
#include "base/rpc/zygote_wire.hpp"

namespace sluice {
namespace {

constexpr int wait_ms = 20'000;
constexpr std::uint64_t job_id = 64927825920;

bool readable(int fd) {
    pollfd event{fd, POLLIN, 0};
    return ::poll(&event, 1, wait_ms) == 1;
}

class ShellProcess : public testing::Test {
  protected:
    void SetUp() override {
        const char* program = std::getenv("SLUICE_TEST_SHELL");
        ASSERT_TRUE(program) << "set by meson";
        char folder[] = "/tmp/shell-test-XXXXXX";
        ASSERT_TRUE(::mkdtemp(folder));
        folder_ = folder;
        SubprocessOptions options;
        options.argv = {program, "--zygote"};
        options.channels = {zygote_fd_variable};
        auto zygote = spawn(options);
        ASSERT_TRUE(zygote) << zygote.error().text();
        pid_ = zygote->pid;
        control_ = std::move(zygote->ends[zygote_fd_variable]);
        order_shell();
    }

    void order_shell() {
        int ends[2];
        ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
        shell_ = OwnedFd{ends[0]};
        incoming_.clear();
        logs_.clear();
        order(OwnedFd{ends[1]});
    }

    void TearDown() override {
        shell_ = OwnedFd{};
        control_ = OwnedFd{};  // the zygote ends by itself
        int status = 0;
        EXPECT_EQ(::waitpid(pid_, &status, 0), pid_);
        EXPECT_EQ(status, 0);
        ::rmdir(folder_.c_str());
    }

    void order(OwnedFd socket) {
        const ZygoteOrder bytes{ZygoteOrder::Kind::launch, job_id};
        ASSERT_EQ(send_with_fd(control_.get(), &bytes, sizeof bytes, socket.get()),
                  static_cast<ssize_t>(sizeof bytes));
    }

    ZygoteRecord record() {
        ZygoteRecord record{};
        const bool there = readable(control_.get());
        EXPECT_TRUE(there) << "no record in time";
        if (there) {
            EXPECT_EQ(::recv(control_.get(), &record, sizeof record, MSG_WAITALL),
                      static_cast<ssize_t>(sizeof record));
        }
        return record;
    }

    void send(const Message& message) {
        const std::string bytes = encode_frame(message);
        ASSERT_EQ(::send(shell_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(bytes.size()));
    }

    void launch(std::vector<std::string> command, std::uint32_t ntasks = 1,
                std::string_view options = "{}") {
        JsonArray words;
        for (const std::string& word : command) words.push_back(Json(word));
        JsonObject payload = *parse_json_object(fmt::format(
            R"({{"id":{},"userid":{},"shell_rank":0,"nnodes":1,"rank":0,"hostname":"h",)"
            R"("uri":"local:///nowhere","rundir":"{}","jobid_path":"/","instance_level":0,)"
            R"("R":{{"version":1,"execution":{{"R_lite":[{{"rank":"0","children":)"
            R"({{"core":"0"}}}}],"nodelist":["h"],"starttime":0.0,"expiration":0.0}}}},)"
            R"("jobspec":{{"version":1,"resources":[{{"type":"slot","count":{},"label":"task",)"
            R"("with":[{{"type":"core","count":1}}]}}],"tasks":[{{"command":[],"slot":"task",)"
            R"("count":{{"per_slot":1}}}}],"attributes":{{"system":{{"duration":0,)"
            R"("environment":{{"PATH":"/usr/bin:/bin"}},"shell":{{"options":{}}}}}}}}}}})",
            job_id, ::getuid(), folder_, ntasks, options));
        payload["jobspec"].as_object()["tasks"].as_array()[0].as_object()["command"] = words;
        for (const char* key : {"R", "jobspec"})
            payload[key] = dump_json(payload[key].as_object());
        Message message = Message::request("shell.launch");
        message.flags |= message_flag::noresponse;
        message.set_json(payload);
        send(message);
    }

    /// Next request of the shell; service.add and job-exec.append are answered on the way.
    std::optional<Message> next() {
        while (true) {
            const auto frame = next_frame(incoming_);
            if (frame && *frame) {
                auto message = decode_body((*frame)->body);
                incoming_.erase(0, (*frame)->bytes_used);
                EXPECT_TRUE(message);
                note(*message);
                return *std::move(message);
            }
            char buffer[65536];
            if (!readable(shell_.get())) return std::nullopt;
            const ssize_t got = ::recv(shell_.get(), buffer, sizeof buffer, 0);
            if (got <= 0) return std::nullopt;
            incoming_.append(buffer, static_cast<std::size_t>(got));
        }
    }

    void note(const Message& message) {
        if (message.type != MessageType::request) return;
        if (!message.has(message_flag::noresponse)) {
            // The shell does not wait for its last answers: it may be gone.
            const std::string bytes = encode_frame(Message::response(message));
            ::send(shell_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        }
        if (message.topic != "job-exec.append") return;
        const auto payload = parse_json_object(message.text());
        ASSERT_TRUE(payload);
        for (const auto& log : payload->at("logs").as_object())
            logs_[log.key()] += std::string(log.value().get_string());
    }

    /// Takes requests until one has `topic`.
    std::optional<JsonObject> until(std::string_view topic) {
        while (auto message = next())
            if (message->topic == topic) return *parse_json_object(message->text());
        return std::nullopt;
    }

    int exit_status() {
        const auto exit = until("job-launcher.shell-exit");
        if (!exit) return -1;
        EXPECT_EQ(exit->at("id").as_int64(), static_cast<std::int64_t>(job_id));
        return static_cast<int>(exit->at("status").as_int64());
    }

    std::vector<Event> events(const std::string& path) {
        auto events = decode_eventlog(logs_[path]);
        EXPECT_TRUE(events.has_value()) << path;
        return events.value_or({});
    }

    std::string output(std::string_view stream) {
        std::string text;
        for (const Event& event : events("guest.output"))
            if (event.name == "data" && event.context.at("stream").as_string() == stream &&
                event.context.contains("data"))
                text += std::string(event.context.at("data").as_string());
        return text;
    }

    std::vector<std::string> names(const std::string& path) {
        std::vector<std::string> names;
        for (const Event& event : events(path)) names.push_back(event.name);
        return names;
    }

    OwnedFd control_, shell_;
    pid_t pid_ = 0;
    std::string folder_, incoming_;
    std::map<std::string, std::string> logs_;
    std::set<std::string> descriptors_;
};

TEST_F(ShellProcess, RunsATaskAndRecordsItsOutput) {
    launch({"sh", "-c", "echo out $FLUX_TASK_RANK; echo err >&2; exit 3"});
    EXPECT_EQ(exit_status(), 3 << 8);
    EXPECT_EQ(output("stdout"), "out 0\n");
    EXPECT_EQ(output("stderr"), "err\n");
    EXPECT_THAT(names("guest.exec.eventlog"),
                testing::ElementsAre("shell.init", "shell.start", "shell.task-exit"));
    EXPECT_EQ(names("guest.output").front(), "header");
    EXPECT_EQ(record().kind, ZygoteRecord::Kind::started);
    const ZygoteRecord end = record();
    EXPECT_EQ(end.kind, ZygoteRecord::Kind::exited);
    EXPECT_EQ(end.id, job_id);
    EXPECT_EQ(end.status, 3 << 8);
}

TEST_F(ShellProcess, IsTheShellOfTheNextJobToo) {
    launch({"sh", "-c", "cd /; exit 3"});
    EXPECT_EQ(exit_status(), 3 << 8);
    const pid_t first = record().pid;
    EXPECT_EQ(record().status, 3 << 8);
    for (int i = 0; i < 3; ++i) {
        order_shell();
        // It has closed what its task got by the time the task looks.
        launch({"sh", "-c", "echo $PPID; sleep 0.1; ls /proc/$PPID/fd | wc -l"});
        EXPECT_EQ(exit_status(), 0);
        EXPECT_EQ(record().pid, first);
        EXPECT_EQ(record().status, 0);
        const std::string said = output("stdout");
        EXPECT_EQ(said.substr(0, said.find('\n')), std::to_string(first));
        descriptors_.insert(said);
    }
    EXPECT_EQ(descriptors_.size(), 1u);  // none is left behind
}

TEST_F(ShellProcess, GivesEachJobANewFolder) {
    for (const std::string_view change :
         {"true", "true", "touch $D/.x", "true", "chmod 755 $D", "rmdir $D", "true"}) {
        if (shell_.get() < 0) order_shell();
        launch({"sh", "-c",
                fmt::format("D=$FLUX_JOB_TMPDIR; stat -c %a $D; ls -A $D; {}", change)});
        EXPECT_EQ(exit_status(), 0);
        EXPECT_EQ(output("stdout"), "700\n") << "before " << change;
        record();
        record();
        shell_ = OwnedFd{};
    }
}

TEST_F(ShellProcess, KillsTheShellOfTheJobAndNoOther) {
    launch({"sleep", "60"});
    while (logs_["guest.exec.eventlog"].find("shell.start") == std::string::npos)
        ASSERT_TRUE(next());
    EXPECT_EQ(record().kind, ZygoteRecord::Kind::started);
    const ZygoteOrder other{ZygoteOrder::Kind::kill, job_id + 1};
    ASSERT_GT(send_with_fd(control_.get(), &other, sizeof other, -1), 0);
    pollfd quiet{control_.get(), POLLIN, 0};
    EXPECT_EQ(::poll(&quiet, 1, 100), 0);
    const ZygoteOrder kill{ZygoteOrder::Kind::kill, job_id};
    ASSERT_GT(send_with_fd(control_.get(), &kill, sizeof kill, -1), 0);
    EXPECT_EQ(record().status, SIGKILL);
}

TEST_F(ShellProcess, TellsWhyACommandCannotStart) {
    launch({"/no/such/command"});
    const auto raise = until("job-manager.raise");
    ASSERT_TRUE(raise);
    EXPECT_EQ(raise->at("note").as_string(),
              "task 0 (host h): start failed: /no/such/command: No such file or directory");
    EXPECT_EQ(exit_status(), 127 << 8);
}

TEST_F(ShellProcess, LosesNoByteOfALargeOutput) {
    launch({"seq", "200000"});
    EXPECT_EQ(exit_status(), 0);
    EXPECT_EQ(output("stdout").size(), 1288895u);
}

TEST_F(ShellProcess, PassesStandardInputOn) {
    launch({"cat"});
    const auto added = until("service.add");
    ASSERT_TRUE(added);
    Message request = Message::request(std::string{added->at("service").as_string()} + ".stdin");
    request.cred = {UserId{::getuid()}, role::owner};
    request.aux2 = 5;
    request.set_json({{"stream", "stdin"}, {"rank", "all"}, {"data", "hello\n"}, {"eof", true}});
    send(request);
    EXPECT_EQ(exit_status(), 0);
    EXPECT_EQ(output("stdout"), "hello\n");
    EXPECT_THAT(names("guest.input"), testing::ElementsAre("header", "data"));
}

TEST_F(ShellProcess, PassesSignalsToTheProcessGroup) {
    launch({"sh", "-c", "trap 'exit 7' USR1; echo ready; while :; do sleep 0.05; done"});
    while (logs_["guest.output"].find("ready") == std::string::npos) ASSERT_TRUE(next());
    Message kill = Message::event(fmt::format("shell-{}.kill", job_id));
    JsonObject payload;
    payload["signum"] = SIGUSR1;
    kill.set_json(payload);
    send(kill);
    EXPECT_EQ(exit_status(), 7 << 8);
}

TEST_F(ShellProcess, KillsItsTasksWhenTheBrokerIsGone) {
    launch({"sleep", "60"});
    while (logs_["guest.exec.eventlog"].find("shell.start") == std::string::npos)
        ASSERT_TRUE(next());
    shell_ = OwnedFd{};
    const pid_t first = record().pid;
    EXPECT_EQ(record().status, 137 << 8);
    order_shell();
    launch({"true"});
    EXPECT_EQ(exit_status(), 0);
    EXPECT_NE(record().pid, first);  // it had lost its way
}

TEST_F(ShellProcess, ServesPmiToItsTasks) {
    launch({"sh", "-c",
            "eval 'exec 9<&'$PMI_FD' 8>&'$PMI_FD; echo cmd=init pmi_version=1 pmi_subversion=1 >&8;"
            "read a <&9; echo cmd=get_universe_size >&8; read b <&9; echo $b"},
           2);
    EXPECT_EQ(exit_status(), 0);
    EXPECT_EQ(output("stdout"), "cmd=universe_size rc=0 size=2\ncmd=universe_size rc=0 size=2\n");
}

TEST_F(ShellProcess, GivesATerminal) {
    launch({"sh", "-c", "test -t 0 && test -t 1 && echo yes"}, 1, R"({"pty":1})");
    EXPECT_EQ(exit_status(), 0);
    EXPECT_EQ(output("stdout"), "yes\r\n");
}

TEST_F(ShellProcess, RefusesABadOptionWithAnException) {
    launch({"true"}, 1, R"({"exit-timeout":"soon"})");
    const auto raise = until("job-manager.raise");
    ASSERT_TRUE(raise);
    EXPECT_EQ(raise->at("note").as_string(), "exit-timeout is not a valid Flux Standard Duration");
    EXPECT_EQ(exit_status(), 1 << 8);
}

}  // namespace
}  // namespace sluice
