#include "pmi/simple_client.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

namespace sluice::pmi {
namespace {

Result<std::uint32_t> number_from_environment(const char* name) {
    const char* text = std::getenv(name);
    if (!text) return fail(ENOENT, "{} not found in environ", name);
    std::uint32_t value = 0;
    const char* end = text + std::strlen(text);
    const auto [rest, error] = std::from_chars(text, end, value);
    if (error != std::errc{} || rest != end || text == end)
        return fail(EINVAL, "{}={}: not a number; start the program with flux run", name, text);
    return value;
}

}  // namespace

Result<SimpleClient> SimpleClient::from_environment() {
    SLUICE_TRY(const std::uint32_t fd, number_from_environment("PMI_FD"));
    SLUICE_TRY(const std::uint32_t rank, number_from_environment("PMI_RANK"));
    SLUICE_TRY(const std::uint32_t size, number_from_environment("PMI_SIZE"));
    if (rank >= size)
        return fail(EINVAL, "PMI_RANK={} PMI_SIZE={}: start the program with flux run", rank, size);
    const bool spawned = std::getenv("PMI_SPAWNED") != nullptr;
    return open({static_cast<int>(fd), rank, size, spawned});
}

Result<SimpleClient> SimpleClient::open(Options options) {
    SimpleClient client{options};
    SLUICE_CHECK(client.exchange("cmd=init pmi_version=1 pmi_subversion=1", "response_to_init"));
    SLUICE_TRY(const std::string maxes, client.exchange("cmd=get_maxes", "maxes"));
    const auto limit = [&](const char* name, std::size_t& to) {
        if (const auto value = integer_field(maxes, name); value && *value > 0) to = *value;
    };
    limit("kvsname_max", client.kvsname_max_);
    limit("keylen_max", client.key_max_);
    limit("vallen_max", client.value_max_);
    return client;
}

SimpleClient::SimpleClient(SimpleClient&& other) noexcept
    : options_(other.options_),
      kvsname_max_(other.kvsname_max_),
      key_max_(other.key_max_),
      value_max_(other.value_max_),
      kvsname_(std::move(other.kvsname_)),
      input_(std::move(other.input_)) {
    other.options_.fd = -1;
}

SimpleClient& SimpleClient::operator=(SimpleClient&& other) noexcept {
    std::swap(options_, other.options_);
    std::swap(kvsname_max_, other.kvsname_max_);
    std::swap(key_max_, other.key_max_);
    std::swap(value_max_, other.value_max_);
    std::swap(kvsname_, other.kvsname_);
    std::swap(input_, other.input_);
    return *this;
}

SimpleClient::~SimpleClient() {
    if (options_.fd >= 0) ::close(options_.fd);
}

Result<std::string> SimpleClient::kvsname() {
    if (!kvsname_.empty()) return kvsname_;
    SLUICE_TRY(const std::string line, exchange("cmd=get_my_kvsname", "my_kvsname"));
    const auto name = field(line, "kvsname");
    if (!name) return fail(EPROTO, "PMI: kvsname missing in '{}'", line);
    return kvsname_ = std::string{*name};
}

Result<int> SimpleClient::universe_size() {
    SLUICE_TRY(const std::string line, exchange("cmd=get_universe_size", "universe_size"));
    const auto size = integer_field(line, "size");
    if (!size) return fail(EPROTO, "PMI: size missing in '{}'", line);
    return *size;
}

Result<int> SimpleClient::appnum() {
    SLUICE_TRY(const std::string line, exchange("cmd=get_appnum", "appnum"));
    const auto number = integer_field(line, "appnum");
    if (!number) return fail(EPROTO, "PMI: appnum missing in '{}'", line);
    return *number;
}

Result<void> SimpleClient::put(std::string_view key, std::string_view value) {
    if (key.size() >= key_max_)
        return fail(ENAMETOOLONG, "PMI: key of {} bytes, limit {}", key.size(), key_max_ - 1);
    if (value.size() >= value_max_)
        return fail(EMSGSIZE, "PMI: value of {} bytes, limit {}", value.size(), value_max_ - 1);
    if (key.empty() || key.find_first_of(" \t\n=") != key.npos)
        return fail(ENOENT, "PMI: key '{}': a key is one word", key);
    if (value.find('\n') != value.npos)
        return fail(EILSEQ, "PMI: value of key '{}' has a line feed", key);
    SLUICE_TRY(const std::string name, kvsname());
    SLUICE_CHECK(exchange(fmt::format("cmd=put kvsname={} key={} value={}", name, key, value),
                          "put_result"));
    return {};
}

Result<std::string> SimpleClient::get(std::string_view key) {
    if (key.size() >= key_max_)
        return fail(ENAMETOOLONG, "PMI: key of {} bytes, limit {}", key.size(), key_max_ - 1);
    SLUICE_TRY(const std::string name, kvsname());
    SLUICE_TRY(const std::string line,
               exchange(fmt::format("cmd=get kvsname={} key={}", name, key), "get_result"));
    std::string_view value = field(line, "value").value_or("");
    constexpr std::string_view remark = " found=TRUE";  // some servers add it
    if (value.ends_with(remark)) value.remove_suffix(remark.size());
    return std::string{value};
}

Result<void> SimpleClient::barrier() {
    SLUICE_CHECK(exchange("cmd=barrier_in", "barrier_out"));
    return {};
}

Result<void> SimpleClient::finalize() {
    SLUICE_CHECK(exchange("cmd=finalize", "finalize_ack"));
    ::close(options_.fd);
    options_.fd = -1;
    return {};
}

void SimpleClient::abort(int exit_code, std::string_view message) {
    std::string line = fmt::format("cmd=abort exitcode={}", exit_code);
    if (!message.empty())
        line += fmt::format(" error_msg={}", message.substr(0, message.find('\n')));
    // The job ends whether or not the server could read it: the caller exits.
    static_cast<void>(send(line.substr(0, line_bytes_max - 1) + "\n"));
}

Result<std::string> SimpleClient::exchange(std::string request, std::string_view verb) {
    request += '\n';
    SLUICE_CHECK(send(request));
    SLUICE_TRY(const std::string line, receive());
    if (field(line, "cmd") != verb) return fail(EPROTO, "PMI: expected {}, found '{}'", verb, line);
    // A reply without rc is a success (RFC 13 servers other than ours leave it out).
    const int rc = integer_field(line, "rc").value_or(0);
    if (rc != 0) return fail(to_errno(static_cast<Status>(rc)), "PMI: {} rc={}", verb, rc);
    return line;
}

Result<void> SimpleClient::send(std::string_view bytes) {
    if (options_.fd < 0) return fail(ENOTCONN, "PMI: finalized");
    while (!bytes.empty()) {
        ssize_t written = ::send(options_.fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (written < 0 && errno == ENOTSOCK)
            written = ::write(options_.fd, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return fail(EIO, "PMI: write: {}", Error{errno}.text());
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

Result<std::string> SimpleClient::receive() {
    while (true) {
        if (auto line = input_.next()) return std::move(*line);
        if (input_.overflow()) return fail(EPROTO, "PMI: line over {} bytes", line_bytes_max);
        char buffer[line_bytes_max];
        const ssize_t got = ::read(options_.fd, buffer, sizeof buffer);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail(EIO, "PMI: read: {}", Error{errno}.text());
        if (got == 0) return fail(EIO, "PMI: the server closed the connection");
        input_.append({buffer, static_cast<std::size_t>(got)});
    }
}

}  // namespace sluice::pmi
