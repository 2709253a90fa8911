// flux hostlist: host lists (RFC 29) of the instance, of jobs, or as given, combined and printed.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/rfc/fluid.hpp"
#include "base/rfc/fsd.hpp"
#include "base/rfc/hostlist.hpp"
#include "base/rfc/idset.hpp"
#include "base/rfc/resource_set.hpp"
#include "cmd/cli.hpp"
#include "cmd/client.hpp"
#include "cmd/commands.hpp"
#include "cmd/options/hostlist_algebra.hpp"

namespace sluice {
namespace {

struct Options {
    bool expand = false, count = false, sort = false, unique = false;
    bool intersect = false, minus = false, exclusive_or = false;
    bool fallback = false, local = false, quiet = false;
    std::string delimiter = " ";
    std::optional<std::string> nth, find, exclude;
    std::optional<std::int64_t> limit;
};

/// Where hosts come from; connects when the first source needs it.
class Sources {
  public:
    explicit Sources(bool fallback) : fallback_(fallback) {}

    Result<Hostlist> read(const std::string& source) {
        if (source == "-" || source == "stdin") return from_stdin();
        if (source == "instance") return from_instance();
        if (source == "avail" || source == "available") return available();
        if (source == "local") {
            const char* job = std::getenv("FLUX_JOB_ID");
            if (!job) return from_instance();
            SLUICE_TRY(const JobId id, fluid_decode(job));
            return from_job(id, job);
        }
        if (const auto id = fluid_decode(source)) {
            auto hosts = from_job(*id, source);
            if (hosts || !fallback_ || hosts.error().errnum() != ENOENT) return hosts;
        }
        return Hostlist::parse(source);
    }

  private:
    Result<Handle*> flux() {
        if (!flux_) {
            auto opened = Handle::open();
            if (!opened) return opened.error().in("Unable to connect to Flux");
            flux_ = std::move(*opened);
        }
        return &*flux_;
    }

    Result<Hostlist> from_stdin() {
        double seconds = 15;
        if (const char* text = std::getenv("FLUX_HOSTLIST_STDIN_TIMEOUT")) {
            SLUICE_TRY(seconds, fsd_parse(text));
        }
        pollfd input{STDIN_FILENO, POLLIN, 0};
        const int wait_ms = static_cast<int>(std::min(seconds, 1e6) * 1000);
        if (::poll(&input, 1, wait_ms) == 0)
            return fail(ETIMEDOUT, "timeout after {} waiting for standard input; name a source",
                        fsd_format(seconds));
        return Hostlist::parse(read_stdin());
    }

    Result<Hostlist> from_instance() {
        SLUICE_TRY(Handle* handle, flux());
        SLUICE_TRY(const std::string hosts, handle->attr("hostlist"));
        return Hostlist::parse(hosts);
    }

    Result<Hostlist> available() {
        SLUICE_TRY(Handle* handle, flux());
        SLUICE_TRY(const JsonObject status, handle->call("resource.status", {}, {.nodeid = 0}));
        JsonReader in{status};
        SLUICE_TRY(Idset gone, Idset::parse(in.string("offline")));
        for (const auto& drained : in.object("drain")) {
            SLUICE_TRY(const Idset ranks, Idset::parse(drained.key()));
            gone |= ranks;
        }
        if (!in) return in.error();
        SLUICE_TRY(const Hostlist all, from_instance());
        Hostlist hosts;
        for (std::uint32_t rank = 0; rank < all.size(); ++rank)
            if (!gone.contains(rank)) hosts.append(all[rank]);
        return hosts;
    }

    Result<Hostlist> from_job(JobId id, const std::string& text) {
        SLUICE_TRY(Handle* handle, flux());
        JsonObject request;
        request["id"] = id.value;
        request["attrs"].emplace_array().emplace_back("nodelist");
        const auto reply = handle->call("job-list.list-id", request);
        if (!reply && reply.error().errnum() == ENOENT)
            return fail(ENOENT, "job {} not found", text);
        if (!reply) return reply.error();
        JsonReader in{*reply};
        JsonReader job{in.object("job")};
        const std::string nodelist = job.string_or("nodelist", "");  // none before it has resources
        if (!in) return in.error();
        return Hostlist::parse(nodelist);
    }

    bool fallback_;
    std::optional<Handle> flux_;
};

Result<Hostlist> combine(const std::vector<Hostlist>& lists, const Options& options) {
    Hostlist result = lists.front();
    for (std::size_t i = 1; i < lists.size(); ++i) {
        if (options.intersect) {
            result = hosts_in_both(result, lists[i]);
        } else if (options.minus) {
            result = hosts_without(std::move(result), lists[i]);
        } else if (options.exclusive_or) {
            result = hosts_in_one(result, lists[i]);
        } else {
            result.append(lists[i]);
        }
    }
    if (options.unique) {
        result.uniq();
    } else if (options.sort) {
        result.sort();
    }
    if (options.exclude) {
        SLUICE_TRY(result, hosts_excluding(result, *options.exclude));
    }
    if (options.limit) result = hosts_limited(result, *options.limit);
    if (options.nth) {
        SLUICE_TRY(result, hosts_at(result, *options.nth));
    }
    return result;
}

Result<std::string> indices_of(const Hostlist& list, const std::string& wanted) {
    SLUICE_TRY(const Hostlist hosts, Hostlist::parse(wanted));
    std::string indices;
    for (const std::string& host : hosts.hosts()) {
        const auto index = list.find(host);
        if (!index) return fail(ENOENT, "host '{}' not found", host);
        indices += fmt::format("{}{}", indices.empty() ? "" : " ", *index);
    }
    return indices;
}

/// "\n" and "\t" written out, as shells pass them in single quotes.
std::string unescaped(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool escape = text[i] == '\\' && i + 1 < text.size();
        const char next = escape ? text[i + 1] : '\0';
        if (next == 'n' || next == 't' || next == '\\') {
            out += next == 'n' ? '\n' : next == 't' ? '\t' : '\\';
            ++i;
        } else {
            out += text[i];
        }
    }
    return out;
}

Result<std::string> shown(const Hostlist& list, const Options& options) {
    if (options.find) return indices_of(list, *options.find);
    if (options.count) return fmt::format("{}", list.size());
    if (!options.expand) return list.to_string();
    return fmt::format("{}", fmt::join(list.hosts(), unescaped(options.delimiter)));
}

void declare(Cli& cli, Options& options) {
    cli.flag("-e,--expand", options.expand, "write each host by itself");
    cli.option("-d,--delimiter=S", options.delimiter, "write S between the hosts of --expand");
    cli.flag("-c,--count", options.count, "write the number of hosts");
    cli.option("-n,--nth=IDS", options.nth, "take the hosts at these indices (-IDS: from the end)");
    cli.option("-F,--find=HOSTS", options.find, "write the indices of HOSTS");
    cli.option("-L,--limit=N", [&options](auto value) -> Result<void> {
        SLUICE_TRY(options.limit, parse_integer(value.value_or("")));
        return {};
    }, "take at most N hosts (-N: the last N)");
    cli.flag("-S,--sort", options.sort, "sort the hosts");
    cli.flag("-u,--union", options.unique, "sort the hosts, each once");
    cli.alias("unique");
    cli.option("-x,--exclude=HOSTS|IDS", options.exclude, "leave out these hosts or indices");
    cli.flag("-i,--intersect", options.intersect, "take the hosts that all lists have");
    cli.flag("-m,--minus", options.minus, "take the later lists away from the first");
    cli.flag("-X,--xor", options.exclusive_or, "take the hosts that only one of two lists has");
    cli.flag("-f,--fallback", options.fallback, "take unknown job ids as host names");
    cli.flag("-l,--local", options.local, "read hosts of this job or instance by default");
    cli.flag("-q,--quiet", options.quiet, "write nothing; exit 1 when there are no hosts");
}

}  // namespace

int cmd_hostlist(int argc, char** argv) {
    Options options;
    Cli cli("flux-hostlist", CliStyle::python_tool, "[OPTIONS] [SOURCES...]",
            "Combine host lists.");
    cli.notes(
        "SOURCES may include:\n"
        "  instance  the hosts of the instance\n"
        "  JOBID     the hosts of a job\n"
        "  local     the hosts of the job that this runs in, else of the instance\n"
        "  avail     the hosts that are neither down nor drained\n"
        "  stdin, -  a list on standard input (what is taken without SOURCES)\n"
        "  HOSTS     these");
    declare(cli, options);
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (options.intersect + options.minus + options.exclusive_or > 1)
        return cli.usage_error("only one of --intersect, --minus and --xor may be given");
    std::vector<std::string> names = cli.words();
    if (names.empty()) names = {options.local ? "local" : "stdin"};
    Sources sources{options.fallback};
    std::vector<Hostlist> lists;
    for (const std::string& name : names) {
        auto list = sources.read(name);
        if (!list) return cli.error(list.error().text());
        lists.push_back(*std::move(list));
    }
    const auto list = combine(lists, options);
    if (!list) return cli.error(list.error().text());
    if (options.quiet) return list->empty() ? 1 : 0;
    const auto text = shown(*list, options);
    if (!text) return cli.error(text.error().text());
    if (!text->empty()) write_stdout(*text + '\n');
    return 0;
}

}  // namespace sluice
