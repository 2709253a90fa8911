// flux-broker: parse, build, run, return the exit code.
#include <fmt/format.h>

#include <cstdio>

#include "broker/broker.hpp"
#include "broker/options.hpp"

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
