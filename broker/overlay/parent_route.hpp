// Which address of the parent to connect to, as answers about its name and the fate of connections
// come in. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace sluice {

/// "tcp://NAME:PORT" whose host is a name; numeric endpoints and other kinds need no lookup.
struct NamedEndpoint {
    std::string name, port;
    static std::optional<NamedEndpoint> parse(const std::string& endpoint);
    friend bool operator==(const NamedEndpoint&, const NamedEndpoint&) = default;
};

class ParentRoute {
  public:
    explicit ParentRoute(std::string port) : port_(std::move(port)) {}

    struct Change {
        std::string from, to;  // endpoints; from is empty at first
        friend bool operator==(const Change&, const Change&) = default;
    };
    /// The name's addresses now, best first. None known is no reason to leave the one we have; nor
    /// is another, unless ours is gone from the list, or did not answer.
    std::optional<Change> on_addresses(const std::vector<std::string>& addresses);
    /// Nobody answered at the address of now.
    void on_silence() { silent_ = true; }
    void on_connected() { silent_ = false; }
    bool has_address() const { return !address_.empty(); }

  private:
    std::string endpoint() const {
        return address_.empty() ? "" : "tcp://" + address_ + ":" + port_;
    }

    const std::string port_;
    std::string address_;
    bool silent_ = false;
};

}  // namespace sluice
