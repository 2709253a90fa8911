// flux event: publish events, and print those that come.
#include <fmt/format.h>

#include <cstdio>

#include "base/base64.hpp"
#include "cmd/cli.hpp"
#include "cmd/client.hpp"
#include "cmd/commands.hpp"
#include "cmd/instance.hpp"

namespace sluice {
namespace {

struct PublishOptions {
    bool raw = false, synchronous = false, loopback = false, private_ = false;
    std::string topic;
    std::optional<std::string> payload;
};

/// The payload's bytes: JSON with its NUL, or as they are.
Result<std::string> payload_bytes(const PublishOptions& options) {
    if (!options.payload) return std::string{};
    if (options.raw) return *options.payload;
    const auto object = parse_json_object(*options.payload);
    if (!object) return fail(EINVAL, "payload is not a JSON object: {}", object.error().text());
    return dump_json(*object) + '\0';
}

Result<void> publish_by_request(Handle& flux, const PublishOptions& options,
                                const std::string& bytes) {
    JsonObject request{{"topic", options.topic},
                       {"flags", options.private_ ? int{message_flag::private_} : 0}};
    if (!bytes.empty()) request["payload"] = base64_encode(bytes);
    SLUICE_TRY(const JsonObject reply, flux.call("event.publish", request, {.nodeid = 0}));
    return {};
}

Result<void> publish(Handle& flux, const PublishOptions& options) {
    SLUICE_TRY(const std::string bytes, payload_bytes(options));
    bool seen = false;
    if (options.loopback)
        SLUICE_CHECK(flux.subscribe(options.topic, [&](const Message& event) {
            seen = seen || (event.topic == options.topic && event.bytes() == bytes);
        }));
    if (options.synchronous) {
        SLUICE_CHECK(publish_by_request(flux, options, bytes));
    } else {
        Message event = Message::event(options.topic);
        event.flags |= message_flag::route;
        if (options.private_) event.flags |= message_flag::private_;
        if (!bytes.empty()) event.set_bytes(bytes);
        flux.send_message(event);
    }
    const bool connected = options.loopback ? flux.run_until([&] { return seen; }) : flux.flush();
    if (!connected) return Error{ECONNRESET};
    return {};
}

int cmd_event_pub(int argc, char** argv) {
    PublishOptions options;
    Cli cli("flux-event pub", CliStyle::c_tool, "[OPTIONS] topic [payload]",
            "Publish an event, with a JSON object as payload.");
    cli.flag("-r,--raw", options.raw, "The payload is not JSON");
    cli.flag("-s,--synchronous", options.synchronous, "Wait until the event has its number");
    cli.flag("-l,--loopback", options.loopback, "Wait until the event comes back");
    cli.flag("-p,--private", options.private_, "Only for the publisher and the instance owner");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().empty()) return cli.usage_error("give a topic");
    options.topic = cli.words()[0];
    for (std::size_t i = 1; i < cli.words().size(); ++i)
        options.payload = options.payload.value_or("") + (i > 1 ? " " : "") + cli.words()[i];
    auto flux = open_tool("flux-event");
    if (!flux) return 1;
    const auto done = publish(*flux, options);
    return done ? 0 : cli.error(done.error().text());
}

int cmd_event_sub(int argc, char** argv) {
    std::int64_t count = 0;
    Cli cli("flux-event sub", CliStyle::c_tool, "[OPTIONS] [topic...]",
            "Print events whose topic begins with one of the words, or all.");
    cli.option("-c,--count=N", integer_into(count), "Stop after N events");
    if (const auto code = cli.parse(argc, argv)) return *code;
    auto flux = open_tool("flux-event");
    if (!flux) return 1;
    std::int64_t seen = 0;
    const auto print = [&](const Message& event) {
        if (count > 0 && seen >= count) return;
        ++seen;
        fmt::print("{}\t{}\n", event.topic, event.text());
        std::fflush(stdout);
    };
    std::vector<std::string> topics = cli.words();
    if (topics.empty()) topics = {""};
    for (const std::string& topic : topics)
        if (const auto done = flux->subscribe(topic, print); !done)
            return cli.error(done.error().text());
    if (!flux->run_until([&] { return count > 0 && seen >= count; }))
        return cli.error("the connection to the broker was lost");
    return 0;
}

constexpr Command commands[] = {
    {"pub", cmd_event_pub, "Publish an event"},
    {"sub", cmd_event_sub, "Print events as they come"},
};

}  // namespace

int cmd_event(int argc, char** argv) {
    return run_subcommand("flux-event", commands, argc, argv);
}

}  // namespace sluice
