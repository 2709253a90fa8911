// simulate_cluster: runs seeds, one after the other; a seed that fails is run again with fewer and
// fewer faults and jobs until none can be left out, and what remains is printed.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "t/sim/cluster.hpp"
#include "t/sim/shrink.hpp"

namespace {

using namespace sluice::sim;

struct Options {
    std::uint64_t first = 1, seeds = 100;
    int workers = 1;
    bool trace = false, twice = false;
    PlanSize size;
};

constexpr const char* usage =
    "usage: simulate_cluster [--first=SEED] [--seeds=N] [--brokers=MIN-MAX] [--jobs=N]\n"
    "                        [--faults=N] [--workers=N] [--trace] [--twice]\n"
    "A cluster for each seed: real broker code, virtual time, faults. --trace prints all that\n"
    "happens; --twice runs each seed twice and compares; --faults=0 is fair weather.\n";

std::uint64_t number(std::string_view text) {
    std::uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

bool parse(int argc, char** argv, Options& options) {
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        const std::string_view name = argument.substr(0, argument.find('='));
        const std::string_view value = argument.substr(std::min(name.size() + 1, argument.size()));
        if (name == "--first") options.first = number(value);
        else if (name == "--seeds") options.seeds = number(value);
        else if (name == "--jobs") options.size.jobs = static_cast<int>(number(value));
        else if (name == "--faults") options.size.faults = static_cast<int>(number(value));
        else if (name == "--workers") options.workers = static_cast<int>(number(value));
        else if (name == "--trace") options.trace = true;
        else if (name == "--twice") options.twice = true;
        else if (name == "--brokers") {
            const std::size_t dash = std::min(value.find('-'), value.size());
            options.size.brokers_min = static_cast<std::uint32_t>(number(value.substr(0, dash)));
            options.size.brokers_max = dash == value.size()
                                           ? options.size.brokers_min
                                           : static_cast<std::uint32_t>(
                                                 number(value.substr(dash + 1)));
        } else {
            return false;
        }
    }
    return true;
}

class Folder {
  public:
    Folder()
        : path_(fmt::format("{}/sluice-sim-{}",
                            std::filesystem::exists("/dev/shm") ? "/dev/shm" : "/tmp", getpid())) {
        std::filesystem::create_directories(path_);
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    std::string run() const { return path_ + "/run"; }

  private:
    std::string path_;
};

/// Whether the seed passed.
bool run_seed(std::uint64_t seed, const Options& options, const std::string& folder) {
    const Plan plan = make_plan(seed, options.size);
    const Outcome outcome = Cluster{plan, folder, options.trace}.run();
    if (options.twice && Cluster{plan, folder, false}.run().digest != outcome.digest) {
        fmt::print("seed {}: two runs differ\n", seed);
        return false;
    }
    if (outcome.wrong.empty()) return true;
    fmt::print("seed {}: {} brokers (fanout {}), {} jobs, {} faults: {}\n", seed, plan.brokers,
               plan.fanout, plan.jobs.size(), plan.faults.size(), outcome.wrong);
    if (!options.trace) fmt::print("{}", text_of_shortest(plan, folder));
    std::fflush(stdout);
    return false;
}

/// Runs every `step`-th seed; how many failed.
int run_some(std::uint64_t from, std::uint64_t step, const Options& options) {
    const Folder folder;
    int failed = 0;
    for (std::uint64_t i = from; i < options.seeds; i += step)
        failed += !run_seed(options.first + i, options, folder.run());
    return failed;
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    if (!parse(argc, argv, options)) {
        std::fputs(usage, stderr);
        return 1;
    }
    int failed = 0;
    if (options.workers <= 1) {
        failed = run_some(0, 1, options);
    } else {
        std::vector<pid_t> workers;
        int ends[2];
        if (::pipe(ends) != 0) return 1;
        for (int i = 0; i < options.workers; ++i) {
            const pid_t pid = ::fork();
            if (pid == 0) {
                const int count = run_some(static_cast<std::uint64_t>(i),
                                           static_cast<std::uint64_t>(options.workers), options);
                std::fflush(stdout);
                ::_exit(::write(ends[1], &count, sizeof count) == sizeof count ? 0 : 1);
            }
            workers.push_back(pid);
        }
        for (const pid_t pid : workers) {
            int status = 0, count = 1;
            ::waitpid(pid, &status, 0);
            if (status == 0 && ::read(ends[0], &count, sizeof count) != sizeof count) count = 1;
            failed += count;
        }
    }
    fmt::print("{} passed, {} failed\n", static_cast<std::int64_t>(options.seeds) - failed, failed);
    return failed ? 1 : 0;
}
