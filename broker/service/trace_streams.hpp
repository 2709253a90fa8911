// The open requests of module.trace and overlay.trace: which messages each wants, and how they are
// shown (one response a message).
#pragma once

#include <set>
#include <string>

#include "broker/router/trace.hpp"
#include "broker/service/streams.hpp"

namespace sluice {

class TraceStreams {
  public:
    /// From {typemask, topic_glob, names?, nodeid?, full?}. False after having answered an error:
    /// EPROTO a payload that is not that, or no STREAMING flag.
    bool add(Request request, const JsonObject& payload);
    void show(const MessageTrace& trace);
    void disconnect(std::string_view sender) { streams_.disconnect(sender); }
    bool empty() const { return streams_.empty(); }

  private:
    struct Filter {
        std::int64_t types = 0;
        std::string topic_glob;
        std::set<std::string, std::less<>> services;  // empty: all
        std::int64_t rank = -1;                       // -1: all
        bool full = false;
        bool passes(const MessageTrace& trace) const;
    };
    Streams<Filter> streams_;
};

}  // namespace sluice
