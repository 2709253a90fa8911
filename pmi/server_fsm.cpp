#include "pmi/server_fsm.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace sluice::pmi {

// Clients are matched by prefix, in this order (get_maxes before get): stock servers do so.
const std::vector<ServerFsm::Verb> ServerFsm::verbs{
    {"init", &ServerFsm::init},
    {"get_maxes", &ServerFsm::get_maxes},
    {"get_appnum", &ServerFsm::get_appnum},
    {"get_my_kvsname", &ServerFsm::get_my_kvsname},
    {"get_universe_size", &ServerFsm::get_universe_size},
    {"put", &ServerFsm::put},
    {"get", &ServerFsm::get},
    {"barrier_in", &ServerFsm::barrier_in},
    {"finalize", &ServerFsm::finalize},
    {"abort", &ServerFsm::abort},
    {"publish_name", &ServerFsm::publish},
    {"unpublish_name", &ServerFsm::unpublish},
    {"lookup_name", &ServerFsm::lookup},
};

ServerFsm::ServerFsm(Options options) : options_(std::move(options)), clients_(options_.clients) {}

void ServerFsm::preload(std::string key, std::string value) {
    if (key.size() >= key_bytes_max || value.size() >= value_bytes_max) return;
    keys_.insert_or_assign(std::move(key), std::move(value));
}

Actions ServerFsm::on_bytes(std::uint32_t client, std::string_view bytes) {
    SLUICE_ASSERT(client < clients_.size());
    Client& from = clients_[client];
    Actions out;
    from.input.append(bytes);
    while (!from.broken) {
        const auto line = from.input.next();
        if (!line) break;
        on_line(client, *line, out);
    }
    if (!from.broken && from.input.overflow()) {
        from.broken = true;
        out.emplace_back(ProtocolError{client, "line too long"});
    }
    return out;
}

void ServerFsm::on_line(std::uint32_t client, std::string_view line, Actions& out) {
    Client& from = clients_[client];
    if (from.in_spawn) {
        if (line != "endcmd") return;
        from.in_spawn = false;
        out.emplace_back(Reply{client, "cmd=spawn_result rc=-1\n"});
        return;
    }
    if (line.starts_with("mcmd=spawn")) {
        from.in_spawn = true;
        return;
    }
    if (line.size() <= line_bytes_max && line.starts_with("cmd=")) {
        const std::string_view command = line.substr(4);
        for (const Verb& verb : verbs)
            if (command.starts_with(verb.name)) return (this->*verb.handler)(client, line, out);
    }
    from.broken = true;
    out.emplace_back(ProtocolError{client, std::string{line.substr(0, 200)}});
}

void ServerFsm::init(std::uint32_t client, std::string_view line, Actions& out) {
    const auto version = integer_field(line, "pmi_version");
    const auto subversion = integer_field(line, "pmi_subversion");
    const bool known = version == 1 && subversion && *subversion >= 1;
    out.emplace_back(
        Reply{client, known ? "cmd=response_to_init rc=0 pmi_version=1 pmi_subversion=1\n"
                            : "cmd=response_to_init rc=-1\n"});
}

void ServerFsm::get_maxes(std::uint32_t client, std::string_view, Actions& out) {
    out.emplace_back(
        Reply{client, fmt::format("cmd=maxes rc=0 kvsname_max={} keylen_max={} vallen_max={}\n",
                                  kvsname_bytes_max, key_bytes_max, value_bytes_max)});
}

void ServerFsm::get_appnum(std::uint32_t client, std::string_view, Actions& out) {
    out.emplace_back(Reply{client, "cmd=appnum rc=0 appnum=0\n"});
}

void ServerFsm::get_my_kvsname(std::uint32_t client, std::string_view, Actions& out) {
    out.emplace_back(
        Reply{client, fmt::format("cmd=my_kvsname rc=0 kvsname={}\n", options_.kvsname)});
}

void ServerFsm::get_universe_size(std::uint32_t client, std::string_view, Actions& out) {
    out.emplace_back(
        Reply{client, fmt::format("cmd=universe_size rc=0 size={}\n", options_.universe_size)});
}

void ServerFsm::put(std::uint32_t client, std::string_view line, Actions& out) {
    const auto name = field(line, "kvsname"), key = field(line, "key"),
               value = field(line, "value");
    Status status = Status::success;
    if (name && name->size() >= kvsname_bytes_max) {
        status = Status::length;
    } else if (!key || key->empty()) {
        status = Status::bad_key;
    } else if (key->size() >= key_bytes_max) {
        status = Status::key_length;
    } else if (!value) {
        status = Status::bad_value;
    } else if (value->size() >= value_bytes_max) {
        status = Status::value_length;
    } else if (!make_room(*key, *value)) {
        status = Status::no_memory;
    } else {
        keys_.insert_or_assign(std::string{*key}, std::string{*value});
        if (!key->starts_with("local::"))
            pending_.insert_or_assign(std::string{*key}, std::string{*value});
    }
    out.emplace_back(
        Reply{client, fmt::format("cmd=put_result rc={}\n", static_cast<int>(status))});
}

/// Counts the key and its value, less those they replace.
bool ServerFsm::make_room(std::string_view key, std::string_view value) {
    const auto old = keys_.find(key);
    std::size_t bytes = put_bytes_ + key.size() + value.size();
    if (old != keys_.end()) bytes -= std::min(bytes, key.size() + old->second.size());
    if (bytes > put_bytes_max) return false;
    put_bytes_ = bytes;
    return true;
}

void ServerFsm::get(std::uint32_t client, std::string_view line, Actions& out) {
    const auto key = field(line, "key");
    const auto found = key ? keys_.find(*key) : keys_.end();
    if (found == keys_.end()) {
        out.emplace_back(Reply{
            client, fmt::format("cmd=get_result rc={}\n", static_cast<int>(Status::bad_key))});
        return;
    }
    out.emplace_back(Reply{client, fmt::format("cmd=get_result rc=0 value={}\n", found->second)});
}

void ServerFsm::barrier_in(std::uint32_t client, std::string_view line, Actions& out) {
    Client& from = clients_[client];
    if (from.in_barrier) {
        from.broken = true;
        out.emplace_back(ProtocolError{client, std::string{line}});
        return;
    }
    from.in_barrier = true;
    if (++waiting_ == clients_.size()) out.emplace_back(Exchange{std::exchange(pending_, {})});
}

Actions ServerFsm::on_exchange(const KeyValues& keys) {
    for (const auto& [key, value] : keys) keys_.insert_or_assign(key, value);
    return leave_barrier(Status::success);
}

Actions ServerFsm::on_exchange_failed() {
    return leave_barrier(Status::fail);
}

Actions ServerFsm::leave_barrier(Status status) {
    SLUICE_ASSERT(waiting_ == clients_.size());
    waiting_ = 0;
    Actions out;
    for (std::uint32_t client = 0; client < clients_.size(); ++client) {
        clients_[client].in_barrier = false;
        out.emplace_back(
            Reply{client, fmt::format("cmd=barrier_out rc={}\n", static_cast<int>(status))});
    }
    return out;
}

void ServerFsm::finalize(std::uint32_t client, std::string_view, Actions& out) {
    out.emplace_back(Reply{client, "cmd=finalize_ack rc=0\n"});
    out.emplace_back(Close{client});
}

void ServerFsm::abort(std::uint32_t client, std::string_view line, Actions& out) {
    auto code = integer_field(line, "exitcode");
    if (!code) code = integer_field(line, "exit_code");
    const auto message = field(line, "error_msg");
    out.emplace_back(Abort{client, code.value_or(1), std::string{message.value_or("")}});
}

void ServerFsm::publish(std::uint32_t client, std::string_view, Actions& out) {
    out.emplace_back(Reply{client, "cmd=publish_result rc=-1 msg=command not implemented\n"});
}

void ServerFsm::unpublish(std::uint32_t client, std::string_view, Actions& out) {
    out.emplace_back(Reply{client, "cmd=unpublish_result rc=-1 msg=command not implemented\n"});
}

void ServerFsm::lookup(std::uint32_t client, std::string_view, Actions& out) {
    out.emplace_back(Reply{client, "cmd=lookup_result rc=-1 msg=command not implemented\n"});
}

}  // namespace sluice::pmi
