// RFC 13 - the server side of PMI-1, without I/O: bytes of clients come in, actions go out. One
// server per shell (or per `flux start -s N`), one client per task.
//
// Key-value space: a put is visible to the clients of this server at once and to the others after
// the next barrier. Keys that begin with "local::" and preloaded keys are never exchanged.
//
//            all clients sent barrier_in -> Exchange{pending keys}
//            on_exchange(keys of all)    -> barrier_out to every client
// A server without peers answers its Exchange with on_exchange({}) at once.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pmi/simple_codec.hpp"

namespace sluice::pmi {

using KeyValues = std::map<std::string, std::string, std::less<>>;

/// What the driver must do. `client` is the number the driver gave, 0 to clients-1.
struct Reply {
    std::uint32_t client = 0;
    std::string line;  // with its "\n"
    friend bool operator==(const Reply&, const Reply&) = default;
};
struct Close {  // after the replies before it are written
    std::uint32_t client = 0;
    friend bool operator==(const Close&, const Close&) = default;
};
struct Exchange {
    KeyValues keys;
    friend bool operator==(const Exchange&, const Exchange&) = default;
};
struct Abort {
    std::uint32_t client = 0;
    int exit_code = 0;
    std::string message;
    friend bool operator==(const Abort&, const Abort&) = default;
};
struct ProtocolError {
    std::uint32_t client = 0;
    std::string line;
    friend bool operator==(const ProtocolError&, const ProtocolError&) = default;
};
using Action = std::variant<Reply, Close, Exchange, Abort, ProtocolError>;
using Actions = std::vector<Action>;

class ServerFsm {
  public:
    struct Options {
        std::string kvsname;
        std::uint32_t universe_size = 1;  // tasks of the whole job
        std::uint32_t clients = 1;        // of this server
    };
    /// What the clients may put; more is refused with no_memory.
    static constexpr std::size_t put_bytes_max = std::size_t{32} << 20;
    explicit ServerFsm(Options options);

    /// A key that clients find without a barrier. Ignored when it does not fit the limits.
    void preload(std::string key, std::string value);

    Actions on_bytes(std::uint32_t client, std::string_view bytes);
    /// The result of the Exchange: the keys of all servers, then barrier_out with rc 0.
    Actions on_exchange(const KeyValues& keys);
    /// The exchange could not be done: barrier_out with rc -1.
    Actions on_exchange_failed();

  private:
    struct Client {
        LineBuffer input;
        bool in_spawn = false, in_barrier = false, broken = false;
    };
    using Handler = void (ServerFsm::*)(std::uint32_t, std::string_view, Actions&);
    struct Verb {
        std::string_view name;
        Handler handler;
    };
    static const std::vector<Verb> verbs;

    void on_line(std::uint32_t client, std::string_view line, Actions& out);
    bool make_room(std::string_view key, std::string_view value);
    Actions leave_barrier(Status status);
    void init(std::uint32_t, std::string_view, Actions&);
    void get_maxes(std::uint32_t, std::string_view, Actions&);
    void get_appnum(std::uint32_t, std::string_view, Actions&);
    void get_my_kvsname(std::uint32_t, std::string_view, Actions&);
    void get_universe_size(std::uint32_t, std::string_view, Actions&);
    void put(std::uint32_t, std::string_view, Actions&);
    void get(std::uint32_t, std::string_view, Actions&);
    void barrier_in(std::uint32_t, std::string_view, Actions&);
    void finalize(std::uint32_t, std::string_view, Actions&);
    void abort(std::uint32_t, std::string_view, Actions&);
    void publish(std::uint32_t, std::string_view, Actions&);
    void unpublish(std::uint32_t, std::string_view, Actions&);
    void lookup(std::uint32_t, std::string_view, Actions&);

    Options options_;
    std::vector<Client> clients_;
    KeyValues keys_, pending_;
    std::size_t put_bytes_ = 0;
    std::uint32_t waiting_ = 0;  // clients in the barrier
};

}  // namespace sluice::pmi
