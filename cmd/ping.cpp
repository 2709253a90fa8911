// flux ping: round trips to a service, on any rank, a rank, a host or the TBON parent.
#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <charconv>
#include <chrono>
#include <cstdio>

#include "base/size.hpp"
#include "cmd/cli.hpp"
#include "cmd/client.hpp"
#include "cmd/commands.hpp"
#include "cmd/instance.hpp"

namespace sluice {
namespace {

constexpr std::uint64_t pad_bytes_max = std::uint64_t{1} << 30;

struct PingOptions {
    std::string rank, target;
    std::size_t pad_bytes = 0;
    std::int64_t count = 0;  // 0: without end
    double interval = 1.0;
    bool batch = false, userid = false;
};

struct PingTarget {
    std::string service = "broker", shown_rank = "any", note;
    RpcOptions rpc;
    bool any = true;
};

std::optional<std::uint32_t> parse_rank(std::string_view text) {
    std::uint32_t rank = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return rank;
}

/// Takes "any", "upstream", a rank or a host as the place of `target`.
Result<void> set_place(PingTarget& target, std::string_view place, Handle& flux,
                       const Hostlist& hosts) {
    target.shown_rank = place;
    target.any = place == "any";
    if (target.any) return {};
    if (place == "upstream") {
        SLUICE_TRY(target.rpc.nodeid, flux.rank());
        target.rpc.upstream = true;
    } else if (const auto rank = parse_rank(place)) {
        target.rpc.nodeid = *rank;
    } else if (const auto found = hosts.find(place)) {
        target.rpc.nodeid = static_cast<std::uint32_t>(*found);
        target.note = fmt::format(" (rank {})", *found);
    } else {
        return fail(EINVAL, "'{}' is not a rank, any, upstream or a host of this instance", place);
    }
    return {};
}

Result<PingTarget> resolve(Handle& flux, const PingOptions& options) {
    const Hostlist hosts = instance_hosts(flux).value_or(Hostlist{});
    PingTarget target;
    const std::string_view text = options.target;
    const std::size_t mark = text.find('!');
    if (mark != std::string_view::npos) {
        SLUICE_CHECK(set_place(target, text.substr(0, mark), flux, hosts));
        if (mark + 1 < text.size()) target.service = text.substr(mark + 1);
    } else if (parse_rank(text) || hosts.contains(text) || text == "any" || text == "upstream") {
        SLUICE_CHECK(set_place(target, text, flux, hosts));
    } else {
        target.service = text;
    }
    if (!options.rank.empty()) SLUICE_CHECK(set_place(target, options.rank, flux, hosts));
    return target;
}

timespec monotonic_now() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return now;
}

class Pinger {
  public:
    Pinger(Handle& flux, const PingOptions& options, PingTarget target)
        : flux_(flux), options_(options), target_(std::move(target)), timer_(flux.io()) {}

    Result<void> run() {
        const std::string shown = target_.shown_rank + "!" + target_.service;
        fmt::print("flux-ping {}{}\n", shown, target_.note);
        std::fflush(stdout);
        send_next();
        const bool connected = flux_.run_until([&] { return failure_ || all_answered(); });
        if (failure_) return failure_->in((target_.any ? target_.service : shown) + ".ping");
        if (!connected) return Error{ECONNRESET};
        return {};
    }

  private:
    bool all_answered() const { return options_.count > 0 && answered_ >= options_.count; }

    void send_next() {
        do {
            send();
        } while (options_.batch && more());
        if (!more()) return;
        timer_.expires_after(std::chrono::duration_cast<std::chrono::nanoseconds>(
            std::chrono::duration<double>(options_.interval)));
        timer_.async_wait([this](const boost::system::error_code& error) {
            if (!error) send_next();
        });
    }
    bool more() const { return options_.count == 0 ? !options_.batch : sent_ < options_.count; }

    void send() {
        const timespec now = monotonic_now();
        const JsonObject payload{{"seq", sent_++},
                                 {"time.tv_sec", now.tv_sec},
                                 {"time.tv_nsec", now.tv_nsec},
                                 {"pad", std::string(options_.pad_bytes, 'p')}};
        flux_.send(target_.service + ".ping", payload, target_.rpc,
                   [this](const Reply& reply) { receive(reply); });
    }

    void receive(const Reply& reply) {
        const auto payload = reply.json();
        if (!payload) {
            if (!failure_) failure_ = Error{payload.error().errnum()};
            return;
        }
        const timespec now = monotonic_now();
        JsonReader in{*payload};
        const auto seq = in.integer("seq");
        const auto seconds = now.tv_sec - in.integer("time.tv_sec");
        const auto nanoseconds = now.tv_nsec - in.integer("time.tv_nsec");
        const std::size_t pad = in.string("pad").size();
        const std::string route = in.string("route");
        const auto userid = in.integer("userid"), rolemask = in.integer("rolemask");
        if (!in) {
            failure_ = in.error();
            return;
        }
        const auto answering = in.integer_or("rank", -1);
        const std::string place =
            answering >= 0 ? fmt::format("{}!", answering)
                           : (target_.any ? "" : target_.shown_rank + "!");
        const std::string user =
            options_.userid ? fmt::format("userid={} rolemask={:#x} ", userid, rolemask) : "";
        const double milliseconds =
            1e3 * static_cast<double>(seconds) + 1e-6 * static_cast<double>(nanoseconds);
        fmt::print("{}{}.ping pad={} {}seq={} time={:.3f} ms ({})\n", place, target_.service, pad,
                   user, seq, milliseconds, route);
        std::fflush(stdout);
        ++answered_;
    }

    Handle& flux_;
    const PingOptions& options_;
    PingTarget target_;
    boost::asio::steady_timer timer_;
    std::int64_t sent_ = 0, answered_ = 0;
    std::optional<Error> failure_;
};

Result<std::size_t> parse_pad(std::string_view text) {
    SLUICE_TRY(const std::uint64_t bytes, parse_size(text));
    if (bytes > pad_bytes_max) return fail(EINVAL, "size '{}' is not from 0 to 1G", text);
    return static_cast<std::size_t>(bytes);
}

}  // namespace

int cmd_ping(int argc, char** argv) {
    PingOptions options;
    std::optional<double> interval;
    Cli cli("flux-ping", CliStyle::c_tool, "[OPTIONS] TARGET",
            "Measure round trips to a service: SERVICE, RANK, HOST, RANK!SERVICE or HOST!SERVICE.");
    cli.option("-r,--rank=RANK", options.rank, "A rank, any, or upstream");
    cli.option(
        "-p,--pad=N",
        [&](std::optional<std::string> text) -> Result<void> {
            SLUICE_TRY(options.pad_bytes, parse_pad(text.value_or("")));
            return {};
        },
        "Bytes added to each request (N, Nk, NM, NG)");
    cli.option("-i,--interval=FSD", duration_into(interval), "Time between requests (1s)");
    cli.option("-c,--count=N", integer_into(options.count), "Stop after N answers");
    cli.flag("-b,--batch", options.batch, "Send all requests at once (with --count)");
    cli.flag("-u,--userid", options.userid, "Show user id and role of the request");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() != 1) return cli.usage_error("give one target");
    if (options.batch && options.count <= 0) return cli.error("--batch needs --count");
    options.interval = interval.value_or(1.0);
    options.target = cli.words()[0];
    auto flux = open_tool(cli.name());
    if (!flux) return 1;
    auto target = resolve(*flux, options);
    if (!target) return cli.error(target.error().text());
    if (const auto done = Pinger{*flux, options, *std::move(target)}.run(); !done)
        return cli.error(done.error().text());
    return 0;
}

}  // namespace sluice
