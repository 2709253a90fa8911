// RFC 13 - the client side of PMI-1 over an inherited socket (PMI_FD, PMI_RANK, PMI_SIZE).
// Blocking; used by libpmi, libpmi2, `flux pmi` and the broker's bootstrap.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "pmi/simple_codec.hpp"

namespace sluice::pmi {

class SimpleClient {
  public:
    struct Options {
        int fd;  // taken over
        std::uint32_t rank, size;
        bool spawned = false;
    };
    /// From PMI_FD, PMI_RANK, PMI_SIZE and PMI_SPAWNED; does the init and get_maxes exchange.
    /// Errors: ENOENT "PMI_FD not found in environ", EINVAL a malformed number, EIO refused.
    static Result<SimpleClient> from_environment();
    static Result<SimpleClient> open(Options options);

    SimpleClient(SimpleClient&& other) noexcept;
    SimpleClient& operator=(SimpleClient&& other) noexcept;
    ~SimpleClient();

    std::uint32_t rank() const { return options_.rank; }
    std::uint32_t size() const { return options_.size; }
    bool spawned() const { return options_.spawned; }
    /// Limits of the server, final NUL included.
    std::size_t kvsname_max() const { return kvsname_max_; }
    std::size_t key_max() const { return key_max_; }
    std::size_t value_max() const { return value_max_; }

    /// The job's id under Flux. Asked once.
    Result<std::string> kvsname();
    Result<int> universe_size();
    Result<int> appnum();
    /// Errors: ENAMETOOLONG, EMSGSIZE over the limits; EIO connection lost; as `to_errno(rc)`.
    Result<void> put(std::string_view key, std::string_view value);
    /// Errors: ENOENT no such key.
    Result<std::string> get(std::string_view key);
    Result<void> barrier();
    Result<void> finalize();
    /// Asks for the end of the job. Does not wait: no answer comes.
    void abort(int exit_code, std::string_view message);

  private:
    explicit SimpleClient(Options options) : options_(options) {}
    Result<std::string> exchange(std::string request, std::string_view verb);
    Result<void> send(std::string_view bytes);
    Result<std::string> receive();

    Options options_;
    std::size_t kvsname_max_ = kvsname_bytes_max, key_max_ = key_bytes_max,
                value_max_ = value_bytes_max;
    std::string kvsname_;
    LineBuffer input_;
};

}  // namespace sluice::pmi
