// flux-broker: parse, build, run, return the exit code.
#include <fmt/format.h>

#include <cstdio>

#include "broker/broker.hpp"
#include "broker/options.hpp"

/// Read by jemalloc: the reactor does nearly all of the work, and what it no longer needs goes back
/// within a second.
extern "C" {
const char* malloc_conf = "narenas:1,dirty_decay_ms:1000,muzzy_decay_ms:0";
}

int main(int argc, char** argv) {
    sluice::BrokerOptions options;
    if (const auto code = sluice::parse_broker_options(argc, argv, options)) return *code;
    auto broker = sluice::Broker::open(options);
    if (!broker) {
        fmt::print(stderr, "flux-broker: {}\n", broker.error().text());
        return 1;
    }
    return (*broker)->run();
}
