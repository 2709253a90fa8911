#include "broker/options.hpp"

#include <fmt/format.h>
#include <getopt.h>

#include <cstdio>
#include <cstdlib>

namespace sluice {
namespace {

enum LongOnly { conf_option = 256 };

constexpr option long_options[] = {
    {"verbose", optional_argument, nullptr, 'v'},
    {"setattr", required_argument, nullptr, 'S'},
    {"config-path", required_argument, nullptr, 'c'},
    {"conf", required_argument, nullptr, conf_option},
    {"help", no_argument, nullptr, 'h'},
    {nullptr, 0, nullptr, 0},
};

constexpr const char* help_text =
    "Usage: flux-broker [OPTIONS] [initial-program [args...]]\n"
    "Start one broker of a Flux instance.\n"
    "  -v, --verbose[=LEVEL]      log more to stderr (1: info, 2: debug)\n"
    "  -S, --setattr=ATTR=VAL     set a broker attribute (may be repeated)\n"
    "  -c, --config-path=PATH     configuration: a folder of *.toml, or a .toml or .json file\n"
    "      --conf=KEY=VAL|TEXT|FILE  add to the configuration (may be repeated)\n"
    "  -h, --help                 show this text\n";

int usage_error() {
    fmt::print(stderr, "Try `flux-broker --help' for more information.\n");
    return 1;
}

}  // namespace

std::optional<int> parse_broker_options(int argc, char** argv, BrokerOptions& options) {
    std::string name = "flux-broker";
    argv[0] = name.data();  // getopt's messages begin with it
    int letter = 0;
    // '+': the first word ends the options, the rest is the initial program
    while ((letter = ::getopt_long(argc, argv, "+v::S:c:h", long_options, nullptr)) != -1) {
        switch (letter) {
            case 'v': options.verbose = optarg ? std::atoi(optarg) : options.verbose + 1; break;
            case 'S': options.attributes.emplace_back(optarg); break;
            case 'c': options.config_path = optarg; break;
            case conf_option: options.conf.emplace_back(optarg); break;
            case 'h': fmt::print("{}", help_text); return 0;
            default: return usage_error();
        }
    }
    options.command.assign(argv + optind, argv + argc);
    return std::nullopt;
}

}  // namespace sluice
