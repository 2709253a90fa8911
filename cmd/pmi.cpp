// flux pmi - a PMI client for tests: barrier, get and exchange, run as the tasks of a job.
#include <fmt/format.h>

#include <chrono>

#include "base/rfc/idset.hpp"
#include "cmd/cli.hpp"
#include "cmd/client.hpp"
#include "cmd/commands.hpp"
#include "pmi/method.hpp"

namespace sluice {
namespace {

constexpr const char* tool = "flux-pmi";

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

struct BarrierOptions {
    std::int64_t count = 1;
    std::optional<std::string> abort_rank;
    bool timing = false;
};

Result<void> run_barrier(pmi::Method& pmi, const BarrierOptions& options) {
    for (std::int64_t i = 0; i < options.count; ++i) {
        SLUICE_CHECK(pmi.barrier());  // all tasks are there before the clock starts
        if (options.abort_rank == std::to_string(pmi.rank())) {
            pmi.abort(1, "flux-pmi: abort test");
            return fail(ECANCELED, "aborted");
        }
        const auto start = Clock::now();
        SLUICE_CHECK(pmi.barrier());
        const double seconds = seconds_since(start);
        if (pmi.rank() != 0) continue;
        fmt::print("{}: completed pmi barrier on {} tasks", pmi.name(), pmi.size());
        if (options.timing) {
            fmt::print(" in {:.3f}s.\n", seconds);
        } else {
            fmt::print("\n");
        }
    }
    return {};
}

Result<void> run_exchange(pmi::Method& pmi, std::int64_t count) {
    for (std::int64_t round = 0; round < count; ++round) {
        SLUICE_CHECK(pmi.barrier());
        const auto start = Clock::now();
        const auto value = [&](std::uint32_t rank) {
            return fmt::format("{}-{}-{}", pmi.name(), rank, pmi.size());
        };
        SLUICE_CHECK(pmi.put(fmt::format("key.{}", pmi.rank()), value(pmi.rank())));
        SLUICE_CHECK(pmi.barrier());
        for (std::uint32_t rank = 0; rank < pmi.size(); ++rank) {
            SLUICE_TRY(const std::string got, pmi.get(fmt::format("key.{}", rank)));
            if (got != value(rank))
                return fail(EPROTO, "key.{}: expected {}, found {}", rank, value(rank), got);
        }
        SLUICE_CHECK(pmi.barrier());
        if (pmi.rank() == 0)
            fmt::print("{}: completed pmi exchange on {} tasks in {:.3f}s.\n", pmi.name(),
                       pmi.size(), seconds_since(start));
    }
    return {};
}

Result<void> run_get(pmi::Method& pmi, const std::string& ranks,
                     const std::vector<std::string>& keys) {
    if (ranks != "all") {
        SLUICE_TRY(const Idset wanted, Idset::parse(ranks));
        if (!wanted.contains(pmi.rank())) return {};
    }
    for (const std::string& key : keys) {
        auto value = pmi.get(key);
        if (!value) return value.error().in(key);
        fmt::print("{}\n", *value);
    }
    return {};
}

/// Opens the method, runs `body` and says goodbye to the server.
template <class Body>
int with_pmi(const Cli& cli, const std::string& method, Body body) {
    auto pmi = pmi::open_method(method);
    if (!pmi) return cli.error(pmi.error().text());
    if (const Result<void> done = body(**pmi); !done) return cli.error(done.error().text());
    std::fflush(stdout);
    if (const Result<void> done = (*pmi)->finalize(); !done) return cli.error(done.error().text());
    return 0;
}

struct PmiOptions {
    BarrierOptions barrier;
    std::int64_t exchanges = 1;
    std::string ranks = "0";
};

/// False when there is no such sub-command.
bool declare(Cli& cli, const std::string& what, PmiOptions& options) {
    if (what == "barrier") {
        cli.option("--test-count=N", integer_into(options.barrier.count), "Number of barriers");
        cli.option("--test-abort=RANK", options.barrier.abort_rank, "This task aborts");
        cli.flag("--test-timing", options.barrier.timing, "Print how long the barrier took");
    } else if (what == "exchange") {
        cli.option("--count=N", integer_into(options.exchanges), "Number of exchanges");
    } else if (what == "get") {
        cli.option("--ranks=IDSET", options.ranks, "Tasks that print, or all (0)");
    } else {
        return false;
    }
    return true;
}

}  // namespace

int cmd_pmi(int argc, char** argv) {
    std::string method;
    PmiOptions options;
    Cli outer(tool, CliStyle::c_tool, "[OPTIONS] barrier|exchange|get [OPTIONS]",
              "Exercise the PMI server of a job.");
    outer.option("--method=URI", method,
                 "simple, libpmi[:PATH], libpmi2[:PATH] or single (the first that works)");
    const auto code = outer.parse(argc, argv);
    if (Cli::listing())
        for (const std::string what : {"barrier", "exchange", "get"}) {
            Cli cli(tool + (" " + what), CliStyle::c_tool, "[OPTIONS]", outer.summary());
            declare(cli, what, options);
            cli.parse(argc, argv);
        }
    if (code) return *code;
    if (outer.words().empty()) return outer.usage_error("give barrier, exchange or get");
    const std::string what = outer.words()[0];
    const int skipped = argc - static_cast<int>(outer.words().size());
    Cli cli(tool + (" " + what), CliStyle::c_tool, "[OPTIONS]", outer.summary());
    if (!declare(cli, what, options))
        return outer.usage_error(fmt::format("unknown subcommand {}", what));
    if (const auto over = cli.parse(argc - skipped, argv + skipped)) return *over;
    return with_pmi(cli, method, [&](pmi::Method& pmi) -> Result<void> {
        if (what == "barrier") return run_barrier(pmi, options.barrier);
        if (what == "exchange") return run_exchange(pmi, options.exchanges);
        return run_get(pmi, options.ranks, cli.words());
    });
}

}  // namespace sluice
