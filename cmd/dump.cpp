#include "cmd/dump.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "base/paths.hpp"

namespace sluice {
namespace {

int run_archive(std::string command, int argc, char** argv) {
    std::string program = helper_program("flux-archive");
    std::vector<char*> words{program.data(), command.data()};
    words.insert(words.end(), argv + 1, argv + argc);
    words.push_back(nullptr);
    ::execv(program.c_str(), words.data());
    fmt::print(stderr, "flux-{}: {}: {}; build Sluice with libarchive\n", command, program,
               std::strerror(errno));
    return 1;
}

}  // namespace

int cmd_dump(int argc, char** argv) { return run_archive("dump", argc, argv); }
int cmd_restore(int argc, char** argv) { return run_archive("restore", argc, argv); }

}  // namespace sluice
