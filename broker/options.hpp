// The command line of flux-broker (cli.md 4.2).
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace sluice {

struct BrokerOptions {
    int verbose = 0;
    std::vector<std::string> attributes;    // "NAME=VALUE" or "NAME", in order
    std::optional<std::string> config_path; // a folder of *.toml, or one .toml or .json file
    std::vector<std::string> conf;          // --conf values, in order
    std::vector<std::string> command;       // the initial program
};

/// An exit code when there is nothing to run (--help: 0, usage error: 1, already printed).
std::optional<int> parse_broker_options(int argc, char** argv, BrokerOptions& options);

}  // namespace sluice
