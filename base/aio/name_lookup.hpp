// Asks for the addresses of a host's name without waiting. Each question has a thread of its own,
// so one whose packet was lost (glibc notices after five seconds) holds up nobody: ask again.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace boost::asio {
class io_context;
}

namespace sluice {

class NameLookup {
  public:
    /// Numeric addresses as an endpoint writes them ("192.0.2.7", "[2001:db8::7]"), those of IPv4
    /// first; empty: the name has none now. A question may be answered twice: with the addresses of
    /// IPv4, then with all.
    using OnAnswer = std::function<void(const std::vector<std::string>& addresses)>;
    NameLookup(boost::asio::io_context& io, std::string name, OnAnswer on_answer);
    /// Waits for no question that is open; its answer is dropped.
    ~NameLookup();
    /// Asks once more. Nothing happens while too many questions are open already.
    void ask();

  private:
    class State;
    std::shared_ptr<State> state_;
};

}  // namespace sluice
