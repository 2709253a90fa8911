// flux-archive: `flux dump` and `flux restore` run here.
#include <fmt/format.h>

#include <cstdio>
#include <string_view>

#include "cmd/archive/commands.hpp"

int main(int argc, char** argv) {
    const std::string_view command = argc > 1 ? argv[1] : "";
    if (command == "dump") return sluice::run_dump(argc - 1, argv + 1);
    if (command == "restore") return sluice::run_restore(argc - 1, argv + 1);
    fmt::print(stderr, "usage: flux-archive dump|restore ...; use flux dump and flux restore\n");
    return 1;
}
