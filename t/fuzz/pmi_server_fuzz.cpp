// RFC 13 - the PMI-1 server: whatever two clients send, in whatever pieces, it answers with whole
// lines and never lets a barrier end before both are in it.
#include "pmi/clique.hpp"
#include "pmi/server_fsm.hpp"
#include "t/fuzz/fuzz.hpp"

namespace {

/// Performs actions; counts the exchanges that must be answered.
void perform(sluice::pmi::ServerFsm& server, const sluice::pmi::Actions& actions) {
    using namespace sluice;
    for (const pmi::Action& action : actions) {
        if (const auto* reply = std::get_if<pmi::Reply>(&action)) {
            SLUICE_ASSERT(reply->line.ends_with('\n'));
            SLUICE_ASSERT(reply->line.find('\n') == reply->line.size() - 1);
            SLUICE_ASSERT(reply->line.size() <= pmi::line_bytes_max);
        } else if (const auto* exchange = std::get_if<pmi::Exchange>(&action)) {
            for (const auto& [key, value] : exchange->keys)
                SLUICE_ASSERT(!key.starts_with("local::"));
            SLUICE_ASSERT(server.on_exchange(exchange->keys).size() == 2);
        }
    }
}

}  // namespace

SLUICE_FUZZ(text) {
    using namespace sluice;
    pmi::ServerFsm server({.kvsname = "f1", .universe_size = 2, .clients = 2});
    if (const auto nodes = pmi::nodes_of_tasks(text, 64)) SLUICE_ASSERT(nodes->size() == 64);
    for (std::uint32_t client = 0; !text.empty(); client = 1 - client) {
        const std::size_t size = std::min<std::size_t>(text.size(), 64);
        perform(server, server.on_bytes(client, text.substr(0, size)));
        text.remove_prefix(size);
    }
}
