#include "base/rpc/own_instance.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>

#include "base/rpc/local_socket.hpp"
#include "base/words.hpp"

namespace sluice {
namespace {

/// In /proc/net/unix: the socket listens (SO_ACCEPTCON).
constexpr std::string_view accepting = "00010000";
enum Column : std::size_t { column_flags = 3, column_path = 7 };

/// Rank of a socket named local (0) or local-RANK.
std::optional<std::uint32_t> rank_of(std::string_view name) {
    constexpr std::string_view first = "local", others = "local-";
    if (name == first) return 0;
    if (!name.starts_with(others)) return std::nullopt;
    name.remove_prefix(others.size());
    std::uint32_t rank = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), rank);
    if (error != std::errc{} || end != name.data() + name.size()) return std::nullopt;
    return rank;
}

bool is_mine(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && status.st_uid == ::geteuid();
}

Error several(const std::vector<std::string>& paths) {
    std::string names;
    for (const std::string& path : paths)
        names += (names.empty() ? "local://" : ", local://") + path;
    return fail(EINVAL,
                "{} instances run here: {}; choose one with export FLUX_URI=URI, or with flux "
                "proxy URI COMMAND",
                paths.size(), names);
}

}  // namespace

const std::vector<std::string>& well_known_sockets() {
    static const std::vector<std::string> sockets{
        "/run/flux/local", "/mnt/flux/config/run/flux/local", "/mnt/flux/view/run/flux/local"};
    return sockets;
}

std::vector<std::string> broker_sockets(std::string_view proc_net_unix) {
    std::map<std::string, std::pair<std::uint32_t, std::string>> by_folder;
    for (const std::string& line : split_words(proc_net_unix, '\n')) {
        std::vector<std::string> columns = split_words(line, ' ');
        std::erase(columns, "");
        if (columns.size() != column_path + 1 || columns[column_flags] != accepting) continue;
        const std::string& path = columns[column_path];
        const std::size_t slash = path.rfind('/');
        if (!path.starts_with('/')) continue;
        const auto rank = rank_of(std::string_view{path}.substr(slash + 1));
        if (!rank) continue;
        const auto [found, added] =
            by_folder.try_emplace(path.substr(0, slash), *rank, path);
        if (!added && *rank < found->second.first) found->second = {*rank, path};
    }
    std::vector<std::string> sockets;
    for (const auto& [folder, socket] : by_folder) sockets.push_back(socket.second);
    return sockets;
}

Result<int> connect_to_own_instance() {
    for (const std::string& path : well_known_sockets()) {
        auto connected = connect_to_broker(path);
        if (connected || connected.error().errnum() == EPERM) return connected;
    }
    std::ifstream table("/proc/net/unix");
    const std::string text{std::istreambuf_iterator<char>(table), {}};
    std::vector<std::string> mine = broker_sockets(text);
    std::erase_if(mine, [](const std::string& path) { return !is_mine(path); });
    if (mine.empty()) return Error{ENOENT};
    if (mine.size() > 1) return several(mine);
    return connect_to_broker(mine.front());
}

}  // namespace sluice
