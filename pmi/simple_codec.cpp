#include "pmi/simple_codec.hpp"

#include <charconv>

namespace sluice::pmi {
namespace {

bool runs_to_the_end(std::string_view key) {
    return key == "value" || key == "error_msg";
}

}  // namespace

int to_errno(Status status) {
    switch (status) {
        case Status::success:
            return 0;
        case Status::fail:
            return EIO;
        case Status::not_initialised:
            return ENOTCONN;
        case Status::no_memory:
            return ENOMEM;
        case Status::bad_argument:
            return EINVAL;
        case Status::bad_key:
            return ENOENT;
        case Status::key_length:
            return ENAMETOOLONG;
        case Status::bad_value:
            return EILSEQ;
        case Status::value_length:
            return EMSGSIZE;
        case Status::length:
            return EOVERFLOW;
        case Status::size:
            return ERANGE;
    }
    return EIO;
}

Status to_status(const Error& error) {
    for (const Status status : {Status::not_initialised, Status::no_memory, Status::bad_argument,
                                Status::bad_key, Status::key_length, Status::bad_value,
                                Status::value_length, Status::length, Status::size})
        if (to_errno(status) == error.errnum()) return status;
    return Status::fail;
}

std::optional<std::string_view> field(std::string_view line, std::string_view key) {
    while (true) {
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        if (line.empty()) return std::nullopt;
        const std::size_t equals = line.find_first_of("= \t");
        if (equals == std::string_view::npos) return std::nullopt;
        if (line[equals] != '=') {  // a word without a value
            line.remove_prefix(equals);
            continue;
        }
        const std::string_view name = line.substr(0, equals);
        line.remove_prefix(equals + 1);
        const std::size_t size =
            runs_to_the_end(name) ? line.size() : std::min(line.find_first_of(" \t"), line.size());
        if (name == key) return line.substr(0, size);
        line.remove_prefix(size);
    }
}

std::optional<int> integer_field(std::string_view line, std::string_view key) {
    const auto text = field(line, key);
    if (!text) return std::nullopt;
    int value = 0;
    const char* end = text->data() + text->size();
    const auto [rest, error] = std::from_chars(text->data(), end, value);
    if (error != std::errc{} || rest != end) return std::nullopt;
    return value;
}

std::optional<std::string> LineBuffer::next() {
    const std::size_t size = bytes_.find('\n');
    if (size == std::string::npos) return std::nullopt;
    std::string line = bytes_.substr(0, size);
    bytes_.erase(0, size + 1);
    return line;
}

}  // namespace sluice::pmi
