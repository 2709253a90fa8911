// flux sproc: processes that `flux exec --bg` left on brokers.
#include <fmt/format.h>

#include <cstdio>

#include "base/aio/subprocess.hpp"
#include "base/rfc/io_data.hpp"
#include "cmd/client.hpp"
#include "cmd/commands.hpp"
#include "cmd/instance.hpp"
#include "cmd/table_output.hpp"

namespace sluice {
namespace {

constexpr CliStyle style = CliStyle::python_tool;

struct Place {
    std::string ranks, service = "rexec";
};

void declare_place(Cli& cli, Place& place, const char* text) {
    cli.option("-r,--rank=IDSET", place.ranks, text);
    cli.option("-s,--service=NAME", place.service, "service that runs the processes (rexec)");
}

Result<Idset> ranks_of(Handle& flux, const Place& place) {
    if (place.ranks.empty()) {
        SLUICE_TRY(const std::uint32_t own, flux.rank());
        return Idset{own};
    }
    if (place.ranks == "all") {
        SLUICE_TRY(const std::uint32_t size, flux.size());
        return Idset::range(0, size - 1);
    }
    return Idset::parse(place.ranks);
}

Result<std::uint32_t> one_rank_of(Handle& flux, const Place& place) {
    SLUICE_TRY(const Idset ranks, ranks_of(flux, place));
    if (ranks.size() != 1) return fail(EINVAL, "give one rank, not '{}'", place.ranks);
    return ranks.first();
}

struct Row {
    std::int64_t rank = 0, pid = 0;
    std::string label, state, command;
};

std::optional<std::string> heading_of(std::string_view field) {
    for (const auto& [name, heading] : {std::pair{"ranks", "RANKS"},
                                        {"rank", "RANK"},
                                        {"pid", "PID"},
                                        {"label", "LABEL"},
                                        {"state", "ST"},
                                        {"cmd", "COMMAND"}})
        if (field == name) return heading;
    return std::nullopt;
}

FieldValue field_of(const Row& row, std::string_view field) {
    if (field == "rank" || field == "ranks") return FieldValue{row.rank};
    if (field == "pid") return FieldValue{row.pid};
    if (field == "label") return FieldValue{row.label.empty() ? "-" : row.label};
    if (field == "state") return FieldValue{row.state};
    return FieldValue{row.command};
}

Result<std::vector<Row>> load_rows(Handle& flux, const Place& place) {
    SLUICE_TRY(const Idset ranks, ranks_of(flux, place));
    std::vector<Row> rows;
    for (const std::uint32_t rank : ranks) {
        SLUICE_TRY(const JsonObject reply,
                   flux.call(place.service + ".list", {}, {.nodeid = rank}));
        JsonReader in{reply};
        for (const Json& item : in.array("procs")) {
            if (!item.is_object()) return fail(EPROTO, "{}.list: bad answer", place.service);
            JsonReader process{item.as_object()};
            Row row{.rank = rank,
                    .pid = process.integer("pid"),
                    .label = process.string("label"),
                    .state = process.string("state"),
                    .command = process.string("cmd")};
            if (!process) return process.error();
            rows.push_back(std::move(row));
        }
        if (!in) return in.error();
    }
    return rows;
}

FormatCatalog sproc_formats() {
    return {"flux-sproc ps",
            "flux-sproc",
            "ps",
            "FLUX_SPROC_PS_FORMAT_DEFAULT",
            {{"default", "Default flux-sproc ps format string",
              "{pid:>9} {state:<2} {label:<12} {cmd}"},
             {"ranks", "With the rank of each process",
              "{rank:>5} {pid:>9} {state:<2} {label:<12} {cmd}"}}};
}

int cmd_sproc_ps(int argc, char** argv) {
    Place place;
    TableOutput table;
    Cli cli{"flux-sproc ps", style, "[-h] [-r IDSET] [-s NAME] [-n] [-o FORMAT]",
            "List background processes."};
    declare_place(cli, place, "ranks to list (this one), or all");
    table.declare(cli);
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (const auto code = table.choose(cli, sproc_formats(), heading_of)) return *code;
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    const auto found = load_rows(*flux, place);
    if (!found) return cli.error(found.error().text());
    table.print(*found, field_of);
    return 0;
}

/// {pid} or {pid: -1, label} for PID|LABEL.
JsonObject process_request(const std::string& word) {
    if (const auto pid = parse_integer(word)) return JsonObject{{"pid", *pid}};
    return JsonObject{{"pid", -1}, {"label", word}};
}

void print_output(const JsonObject& reply) {
    JsonReader in{reply};
    const JsonArray* output = in.maybe_array("output");
    if (!output) return;
    for (const Json& item : *output) {
        if (!item.is_object()) continue;
        const auto io = decode_io(item.as_object());
        if (!io) continue;
        std::FILE* to = io->stream == "stderr" ? stderr : stdout;
        std::fwrite(io->data.data(), 1, io->data.size(), to);
    }
}

int exit_code_in(const JsonObject& reply) {
    JsonReader in{reply};
    const auto status = in.integer("status");
    return in ? exit_code_of(static_cast<int>(status)) : 1;
}

/// Waits for the end of a process that is not waitable: whoever is attached sees it.
void follow_to_the_end(Handle& flux, const Place& place, RpcOptions rpc, JsonObject request) {
    request["flags"] = 0;
    rpc.streaming = true;
    bool ended = false;
    flux.send(place.service + ".attach", request, rpc,
              [&](const Reply& reply) { ended = !reply.ok(); });
    flux.run_until([&] { return ended; });
}

int cmd_sproc_kill(int argc, char** argv) {
    Place place;
    bool wait = false;
    Cli cli{"flux-sproc kill", style, "[-h] [-r RANK] [-s NAME] [-w] SIGNUM PID|LABEL",
            "Send a signal to a background process."};
    declare_place(cli, place, "rank of the process (this one)");
    cli.flag("-w,--wait", wait, "wait for its end");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() != 2)
        return cli.usage_error("the following arguments are required: signum, pid");
    const auto signum = parse_integer(cli.words()[0]);
    if (!signum) return cli.usage_error(signum.error().text());
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    const auto rank = one_rank_of(*flux, place);
    if (!rank) return cli.error(rank.error().text());
    const RpcOptions rpc{.nodeid = *rank};
    JsonObject request = process_request(cli.words()[1]);
    std::optional<Result<JsonObject>> ended;
    // Asked before the kill, which may be the process's end.
    if (wait)
        flux->send(place.service + ".wait", request, rpc,
                   [&](const Reply& reply) { ended = reply.json(); });
    request["signum"] = *signum;
    const auto reply = flux->call(place.service + ".kill", request, rpc);
    if (!reply) return cli.error("kill: " + reply.error().text());
    if (!wait) return 0;
    flux->run_until([&] { return ended.has_value(); });
    if (!ended) return cli.error("kill: the connection to the broker was lost");
    if (*ended) return exit_code_in(**ended);
    cli.error("kill: wait failed: " + ended->error().text());
    follow_to_the_end(*flux, place, rpc, process_request(cli.words()[1]));
    return 1;
}

int cmd_sproc_wait(int argc, char** argv) {
    Place place;
    bool output = false;
    Cli cli{"flux-sproc wait", style, "[-h] [-r RANK] [-s NAME] [-o] PID|LABEL",
            "Wait for a waitable background process."};
    declare_place(cli, place, "rank of the process (this one)");
    cli.flag("-o,--output", output, "print what it wrote");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() != 1)
        return cli.usage_error("the following arguments are required: pid");
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    const auto rank = one_rank_of(*flux, place);
    if (!rank) return cli.error(rank.error().text());
    const auto reply =
        flux->call(place.service + ".wait", process_request(cli.words()[0]), {.nodeid = *rank});
    if (!reply) return cli.error(reply.error().text());
    if (output) print_output(*reply);
    return exit_code_in(*reply);
}

constexpr Command commands[] = {
    {"ps", cmd_sproc_ps, "List background processes"},
    {"kill", cmd_sproc_kill, "Send a signal to a background process"},
    {"wait", cmd_sproc_wait, "Wait for a background process"},
};

}  // namespace

int cmd_sproc(int argc, char** argv) {
    return run_subcommand("flux-sproc", commands, argc, argv);
}

}  // namespace sluice
