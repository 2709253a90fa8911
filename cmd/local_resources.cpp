#include "cmd/local_resources.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/json.hpp"
#include "base/paths.hpp"

namespace sluice {
namespace {

struct Output {
    std::string text;
    int status = 0;
};

/// What the program writes to either output.
Result<Output> output_of(const std::string& program, const std::string& argument) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail(errno, "{}", std::strerror(errno));
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(ends[1], STDOUT_FILENO);
        ::dup2(ends[1], STDERR_FILENO);
        ::execl(program.c_str(), program.c_str(), argument.empty() ? nullptr : argument.c_str(),
                nullptr);
        ::_exit(127);
    }
    ::close(ends[1]);
    if (child < 0) return fail(errno, "{}: {}", program, std::strerror(errno));
    Output output;
    std::array<char, 4096> piece{};
    for (ssize_t size = 0; (size = ::read(ends[0], piece.data(), piece.size())) > 0;)
        output.text.append(piece.data(), static_cast<std::size_t>(size));
    ::close(ends[0]);
    ::waitpid(child, &output.status, 0);
    return output;
}

}  // namespace

Result<LocalResources> local_resources(const std::string& xml_path) {
    const std::string program = helper_program("flux-probe");
    SLUICE_TRY(Output output, output_of(program, xml_path));
    if (WIFEXITED(output.status) && WEXITSTATUS(output.status) == 127 && output.text.empty())
        return fail(ENOENT, "{}: not found; it belongs to this installation", program);
    if (output.status != 0) {
        constexpr std::string_view name = "flux-probe: ";
        if (output.text.starts_with(name)) output.text.erase(0, name.size());
        if (output.text.ends_with('\n')) output.text.pop_back();
        return fail(EIO, "{}", output.text);
    }
    // hwloc may have warned on standard error before.
    const std::size_t start = output.text.rfind("{\"");
    if (start == std::string::npos) return fail(EPROTO, "{}: found no JSON", program);
    SLUICE_TRY(const JsonObject found, parse_json_object(output.text.substr(start)));
    JsonReader in{found};
    const std::string cores = in.string("cores"), gpus = in.string("gpus");
    if (!in) return in.error();
    LocalResources local;
    SLUICE_TRY(local.cores, Idset::parse(cores));
    SLUICE_TRY(local.gpus, Idset::parse(gpus));
    return local;
}

}  // namespace sluice
