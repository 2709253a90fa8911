#include "cmd/start_test.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/aio/subprocess.hpp"
#include "base/rfc/idset.hpp"
#include "base/rfc/taskmap.hpp"
#include "pmi/server_fsm.hpp"

extern char** environ;

namespace sluice {
namespace {

constexpr std::string_view pmi_channel = "PMI_FD";
constexpr int code_killed_base = 128;

/// The key that tells the brokers which of them share a node; empty for none.
Result<std::string> process_mapping(const TestOptions& options) {
    if (options.clique == "none") return std::string{};
    if (options.clique == "single") return Taskmap::block({options.size}).to_pmi();
    if (options.clique == "per-broker")
        return Taskmap::block(std::vector<std::uint32_t>(options.size, 1)).to_pmi();
    SLUICE_TRY(const Taskmap map, Taskmap::parse(options.clique));
    return map.to_pmi();
}

/// The shared rundir; removed at the end when it was made here or the user says so.
class TestRundir {
  public:
    TestRundir() = default;
    TestRundir(const TestRundir&) = delete;
    ~TestRundir() {
        std::error_code ignored;
        if (remove_) std::filesystem::remove_all(path_, ignored);
    }
    Result<void> open(const TestOptions& options) {
        if (!options.rundir.empty()) {
            struct stat status {};
            path_ = options.rundir;
            if (::stat(path_.c_str(), &status) != 0)
                return fail(errno, "--test-rundir: {}: {}", path_, ::strerror(errno));
            if (!S_ISDIR(status.st_mode))
                return fail(ENOTDIR, "--test-rundir: {}: not a directory", path_);
            path_ = std::filesystem::absolute(path_);
            remove_ = options.rundir_cleanup;
            return {};
        }
        const char* parent = std::getenv("TMPDIR");
        path_ = std::string{parent && *parent ? parent : "/tmp"} + "/flux-XXXXXX";
        if (!::mkdtemp(path_.data())) return fail(errno, "{}: {}", path_, ::strerror(errno));
        remove_ = true;
        return {};
    }
    const std::string& path() const { return path_; }

  private:
    std::string path_;
    bool remove_ = false;
};

class TestInstance {
  public:
    TestInstance(const std::vector<std::string>& command, const std::vector<std::string>& program,
                 const TestOptions& options)
        : command_(command),
          program_(program),
          options_(options),
          server_({.kvsname = "-", .universe_size = options.size, .clients = options.size}) {}

    Result<int> run();

  private:
    Result<void> start(std::uint32_t rank);
    std::vector<std::string> argv_of(std::uint32_t rank) const;
    void perform(const pmi::Actions& actions);
    void on_exit(std::uint32_t rank, int status);
    void kill_rest();
    void kill_all(int signum);
    void forward_signals();

    const std::vector<std::string>& command_;
    const std::vector<std::string>& program_;
    const TestOptions& options_;
    TestRundir rundir_;
    pmi::ServerFsm server_;
    boost::asio::io_context io_{1};
    boost::asio::steady_timer timer_{io_};
    boost::asio::signal_set signals_{io_};
    std::vector<std::unique_ptr<Subprocess>> brokers_;
    Idset running_;
    int code_ = 0;
    bool timer_armed_ = false;
};

std::vector<std::string> TestInstance::argv_of(std::uint32_t rank) const {
    std::vector<std::string> argv = command_;
    argv.push_back("-Srundir=" + rundir_.path());
    if (options_.hosts) argv.push_back("-Shostname=" + (*options_.hosts)[rank]);
    if (rank == 0) argv.insert(argv.end(), program_.begin(), program_.end());
    return argv;
}

Result<void> TestInstance::start(std::uint32_t rank) {
    SubprocessOptions process{.argv = argv_of(rank)};
    if (options_.verbose) {
        std::string shown;
        for (const std::string& word : process.argv) shown += " " + word;
        fmt::print(stderr, "flux-start: {}:{}\n", rank, shown);
    }
    if (options_.noexec) return {};
    process.environment.emplace();
    for (char** entry = environ; *entry; ++entry)
        if (!std::string_view{*entry}.starts_with("PMI_")) process.environment->push_back(*entry);
    process.environment->push_back(fmt::format("PMI_RANK={}", rank));
    process.environment->push_back(fmt::format("PMI_SIZE={}", options_.size));
    process.new_group = false;
    process.stdin_kind = StdioKind::inherit;
    process.channels = {std::string{pmi_channel}};
    process.unbuffered = {std::string{pmi_channel}};
    Subprocess::Callbacks callbacks;
    callbacks.on_output = [this, rank](std::string_view stream, std::string_view data) {
        if (stream != pmi_channel || data.empty()) return;
        if (options_.verbose > 1) fmt::print(stderr, "flux-start: {} >> {}", rank, data);
        perform(server_.on_bytes(rank, data));
    };
    callbacks.on_exit = [this, rank](int status) { on_exit(rank, status); };
    SLUICE_TRY(brokers_[rank], Subprocess::start(io_, std::move(process), std::move(callbacks)));
    running_.insert(rank);
    return {};
}

void TestInstance::perform(const pmi::Actions& actions) {
    for (const pmi::Action& action : actions) {
        if (const auto* reply = std::get_if<pmi::Reply>(&action)) {
            if (options_.verbose > 1)
                fmt::print(stderr, "flux-start: {} << {}", reply->client, reply->line);
            if (brokers_[reply->client])
                (void)brokers_[reply->client]->write(pmi_channel, reply->line);
        } else if (const auto* close = std::get_if<pmi::Close>(&action)) {
            if (brokers_[close->client]) (void)brokers_[close->client]->close(pmi_channel);
        } else if (std::get_if<pmi::Exchange>(&action)) {
            perform(server_.on_exchange({}));  // all brokers are clients of this one server
        } else if (const auto* abort = std::get_if<pmi::Abort>(&action)) {
            fmt::print(stderr, "flux-start: {}: PMI abort: {}\n", abort->client, abort->message);
            code_ = std::max(code_, abort->exit_code);
            kill_all(SIGKILL);
        } else if (const auto* error = std::get_if<pmi::ProtocolError>(&action)) {
            fmt::print(stderr, "flux-start: {}: PMI protocol error: {}\n", error->client,
                       error->line);
            kill_all(SIGKILL);
        }
    }
}

void TestInstance::on_exit(std::uint32_t rank, int status) {
    running_.erase(rank);
    const pid_t pid = brokers_[rank]->pid();
    const int code =
        WIFSIGNALED(status) ? code_killed_base + WTERMSIG(status) : WEXITSTATUS(status);
    if (WIFSIGNALED(status))
        fmt::print(stderr, "flux-start: {} (pid {}) {}\n", rank, pid,
                   ::strsignal(WTERMSIG(status)));
    else if (code && (rank != 0 || options_.verbose))
        fmt::print(stderr, "flux-start: {} (pid {}) exited with rc={}\n", rank, pid, code);
    if (!options_.leader_only || rank == 0) {
        code_ = std::max(code_, code);
        if (!timer_armed_ && !running_.empty()) kill_rest();
    }
    if (running_.empty()) io_.stop();
}

void TestInstance::kill_rest() {
    timer_armed_ = true;
    timer_.expires_after(std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::duration<double>(options_.exit_timeout)));
    timer_.async_wait([this](boost::system::error_code error) {
        if (error || running_.empty()) return;
        fmt::print(stderr, "flux-start: Exit timeout: killed rank {}\n", running_.to_string());
        kill_all(SIGKILL);
    });
}

void TestInstance::kill_all(int signum) {
    for (const Idset::Id rank : running_.to_vector()) (void)brokers_[rank]->kill(signum);
}

void TestInstance::forward_signals() {
    signals_.async_wait([this](boost::system::error_code error, int signum) {
        if (error) return;
        // A terminal has already signalled the whole group; only rank 0 decides what it means.
        if (running_.contains(0) && signum == SIGTERM) (void)brokers_[0]->kill(signum);
        forward_signals();
    });
}

Result<int> TestInstance::run() {
    if (options_.hosts && options_.hosts->size() != options_.size)
        return fail(EINVAL, "--test-hosts: found {} hosts, --test-size is {}",
                    options_.hosts->size(), options_.size);
    SLUICE_TRY(const std::string mapping, process_mapping(options_));
    if (!mapping.empty()) server_.preload("PMI_process_mapping", mapping);
    SLUICE_CHECK(rundir_.open(options_));
    termios modes{};
    const bool terminal = ::tcgetattr(STDIN_FILENO, &modes) == 0;
    brokers_.resize(options_.size);
    for (const int signum : {SIGINT, SIGTERM, SIGQUIT, SIGHUP}) signals_.add(signum);
    forward_signals();
    const std::uint32_t count = options_.start_leader_only ? 1 : options_.size;
    for (std::uint32_t rank = 0; rank < count; ++rank)
        if (auto started = start(rank); !started) {
            kill_all(SIGKILL);
            return started.error();
        }
    if (!running_.empty()) io_.run();
    if (terminal) ::tcsetattr(STDIN_FILENO, TCSADRAIN, &modes);
    return code_;
}

}  // namespace

Result<int> run_test_instance(const std::vector<std::string>& command,
                              const std::vector<std::string>& program, const TestOptions& options) {
    return TestInstance{command, program, options}.run();
}

}  // namespace sluice
