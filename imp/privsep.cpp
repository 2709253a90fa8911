#include "imp/privsep.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/owned_fd.hpp"
#include "imp/input.hpp"
#include "imp/log.hpp"
#include "imp/user.hpp"

namespace sluice::imp {
namespace {

/// Room for the sizes and for a byte more than what the child may decode.
constexpr std::size_t sent_bytes_max = input_bytes_max + (std::size_t{1} << 20);

Result<void> write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t put = ::write(fd, bytes.data(), bytes.size());
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return Error{errno};
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return {};
}

Result<void> run_child(int out, const std::function<Result<std::vector<std::string>>()>& decode) {
    SLUICE_CHECK(become_caller());
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return Error{errno};
    SLUICE_TRY(const auto fields, decode());
    return write_all(out, pack(fields));
}

}  // namespace

Result<std::vector<std::string>> unprivileged(
    const std::function<Result<std::vector<std::string>>()>& decode) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return Error{errno};
    const OwnedFd in{ends[0]};
    OwnedFd out{ends[1]};
    const pid_t child = ::fork();
    if (child < 0) return fail(errno, "fork: {}", Error{errno}.text());
    if (child == 0) {
        const auto done = run_child(out.get(), decode);
        if (!done) tell(done.error().text());
        ::_exit(done ? 0 : 1);
    }
    out = OwnedFd{};
    const auto bytes = read_all(in.get(), sent_bytes_max);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return Error{errno};
    if (status != 0) return fail(EINVAL, "the input was refused");
    if (!bytes) return bytes.error();
    return unpack(*bytes);
}

Result<std::string> read_all(int fd, std::size_t bytes_max) {
    std::string text;
    std::string piece(std::size_t{64} << 10, '\0');
    while (true) {
        const ssize_t got = ::read(fd, piece.data(), piece.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail(errno, "input: {}", Error{errno}.text());
        if (got == 0) return text;
        text.append(piece, 0, static_cast<std::size_t>(got));
        if (text.size() > bytes_max) return fail(EFBIG, "input: over {} bytes", bytes_max);
    }
}

}  // namespace sluice::imp
