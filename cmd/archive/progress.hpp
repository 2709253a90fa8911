// What dump and restore tell of their progress: on standard error, and to systemd by the broker.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "base/rpc/handle.hpp"

namespace sluice {

class ArchiveProgress {
  public:
    struct Options {
        bool quiet = false, verbose = false, sd_notify = false;
    };
    /// `tool` "flux-dump", `done` "archived".
    ArchiveProgress(Handle& flux, Options options, std::string tool, std::string done)
        : flux_(flux), options_(options), tool_(std::move(tool)), done_(std::move(done)) {}

    /// One key more; `shown` is what -v prints of it.
    void key(const std::string& shown) {
        if (options_.verbose) fmt::print(stderr, "{}\n", shown);
        ++keys_;
        if (keys_ % 100 == 0 || keys_ < 10) show("");
    }
    void blob() { ++blobs_; }
    void end() { show("\n"); }
    bool quiet() const { return options_.quiet; }

    /// restore also counts blobs
    bool count_blobs = false;

  private:
    void show(const char* end) {
        const std::string blobs = count_blobs ? fmt::format(" ({} blobs)", blobs_) : std::string{};
        if (!options_.quiet && !options_.verbose)
            fmt::print(stderr, "\r{}: {} {} keys{}{}", tool_, done_, keys_, blobs, end);
        if (options_.sd_notify)
            flux_.send("state-machine.sd-notify",
                       {{"status", fmt::format("{}(1) has {} {} keys", tool_, done_, keys_)}},
                       {.noresponse = true}, {});
    }

    Handle& flux_;
    Options options_;
    std::string tool_, done_;
    std::size_t keys_ = 0, blobs_ = 0;
};

}  // namespace sluice
