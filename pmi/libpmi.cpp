// libpmi.so - the PMI-1 C interface over the simple wire. Name service, spawn, iteration and option
// parsing are not offered: their functions return PMI_FAIL, as under stock launchers.
#include "pmi/c_api.hpp"
#include "pmi/clique.hpp"

namespace {

using namespace std::string_view_literals;
using sluice::pmi::clique_of;
using sluice::pmi::code;
using sluice::pmi::copy_out;
using sluice::pmi::nodes_of_tasks;
using sluice::pmi::process_client;
using sluice::pmi::SimpleClient;
using sluice::pmi::Status;
using sluice::pmi::with_client;

const int fail = code(Status::fail);
const int bad_argument = code(Status::bad_argument);

int put_number(int* to, std::size_t value) {
    if (!to) return bad_argument;
    *to = static_cast<int>(value);
    return 0;
}

std::vector<int> clique(SimpleClient& client) {
    for (const auto key : {"flux.taskmap"sv, "PMI_process_mapping"sv}) {
        const auto mapping = client.get(key);
        if (!mapping) continue;
        if (const auto nodes = nodes_of_tasks(*mapping, client.size()))
            return clique_of(*nodes, client.rank());
    }
    return {static_cast<int>(client.rank())};
}

}  // namespace

struct PMI_keyval_t;

/// By this symbol a Flux client library recognises that the library is Flux's own.
extern "C" __attribute__((visibility("default"))) const int flux_pmi_library;
const int flux_pmi_library = 1;

SLUICE_PMI_EXPORT int PMI_Init(int* spawned) {
    if (!spawned) return bad_argument;
    auto& client = process_client();
    if (client) return fail;
    auto opened = SimpleClient::from_environment();
    if (!opened) return fail;
    client.emplace(std::move(*opened));
    *spawned = client->spawned();
    return 0;
}

SLUICE_PMI_EXPORT int PMI_Initialized(int* initialized) {
    return put_number(initialized, process_client().has_value());
}

SLUICE_PMI_EXPORT int PMI_Finalize() {
    return with_client([](SimpleClient& client) {
        const int result = code(client.finalize());
        process_client().reset();
        return result;
    });
}

SLUICE_PMI_EXPORT int PMI_Abort(int exit_code, const char* message) {
    return with_client([&](SimpleClient& client) {
        client.abort(exit_code, message ? message : "");
        std::exit(exit_code);
        return 0;
    });
}

SLUICE_PMI_EXPORT int PMI_Get_size(int* size) {
    return with_client([&](SimpleClient& client) { return put_number(size, client.size()); });
}

SLUICE_PMI_EXPORT int PMI_Get_rank(int* rank) {
    return with_client([&](SimpleClient& client) { return put_number(rank, client.rank()); });
}

SLUICE_PMI_EXPORT int PMI_Get_universe_size(int* size) {
    return with_client([&](SimpleClient& client) {
        return size ? copy_out(client.universe_size(), size) : bad_argument;
    });
}

SLUICE_PMI_EXPORT int PMI_Get_appnum(int* appnum) {
    return with_client([&](SimpleClient& client) {
        return appnum ? copy_out(client.appnum(), appnum) : bad_argument;
    });
}

SLUICE_PMI_EXPORT int PMI_KVS_Get_my_name(char* name, int length) {
    return with_client(
        [&](SimpleClient& client) { return copy_out(client.kvsname(), name, length); });
}

SLUICE_PMI_EXPORT int PMI_KVS_Get_name_length_max(int* length) {
    return with_client(
        [&](SimpleClient& client) { return put_number(length, client.kvsname_max()); });
}

SLUICE_PMI_EXPORT int PMI_KVS_Get_key_length_max(int* length) {
    return with_client([&](SimpleClient& client) { return put_number(length, client.key_max()); });
}

SLUICE_PMI_EXPORT int PMI_KVS_Get_value_length_max(int* length) {
    return with_client(
        [&](SimpleClient& client) { return put_number(length, client.value_max()); });
}

SLUICE_PMI_EXPORT int PMI_KVS_Put(const char* name, const char* key, const char* value) {
    if (!name || !key || !value) return bad_argument;
    return with_client([&](SimpleClient& client) { return code(client.put(key, value)); });
}

SLUICE_PMI_EXPORT int PMI_KVS_Commit(const char* name) {
    // Puts go out at once; the barrier makes them visible.
    return with_client([&](SimpleClient&) { return name ? 0 : bad_argument; });
}

SLUICE_PMI_EXPORT int PMI_KVS_Get(const char* name, const char* key, char* value, int length) {
    if (!name || !key || !value) return bad_argument;
    return with_client(
        [&](SimpleClient& client) { return copy_out(client.get(key), value, length); });
}

SLUICE_PMI_EXPORT int PMI_Barrier() {
    return with_client([](SimpleClient& client) { return code(client.barrier()); });
}

SLUICE_PMI_EXPORT int PMI_Get_clique_size(int* size) {
    return with_client(
        [&](SimpleClient& client) { return put_number(size, clique(client).size()); });
}

SLUICE_PMI_EXPORT int PMI_Get_clique_ranks(int* ranks, int length) {
    if (!ranks) return bad_argument;
    return with_client([&](SimpleClient& client) {
        const std::vector<int> all = clique(client);
        if (length < 0 || static_cast<std::size_t>(length) < all.size()) return code(Status::size);
        std::copy(all.begin(), all.end(), ranks);
        return 0;
    });
}

SLUICE_PMI_EXPORT int PMI_Get_id(char* id, int length) {
    return PMI_KVS_Get_my_name(id, length);
}

SLUICE_PMI_EXPORT int PMI_Get_kvs_domain_id(char* id, int length) {
    return PMI_KVS_Get_my_name(id, length);
}

SLUICE_PMI_EXPORT int PMI_Get_id_length_max(int* length) {
    return PMI_KVS_Get_name_length_max(length);
}

SLUICE_PMI_EXPORT int PMI_Publish_name(const char*, const char*) {
    return fail;
}
SLUICE_PMI_EXPORT int PMI_Unpublish_name(const char*) {
    return fail;
}
SLUICE_PMI_EXPORT int PMI_Lookup_name(const char*, char*) {
    return fail;
}
SLUICE_PMI_EXPORT int PMI_KVS_Create(char*, int) {
    return fail;
}
SLUICE_PMI_EXPORT int PMI_KVS_Destroy(const char*) {
    return fail;
}
SLUICE_PMI_EXPORT int PMI_KVS_Iter_first(const char*, char*, int, char*, int) {
    return fail;
}
SLUICE_PMI_EXPORT int PMI_KVS_Iter_next(const char*, char*, int, char*, int) {
    return fail;
}
SLUICE_PMI_EXPORT int PMI_Spawn_multiple(int, const char**, const char***, const int*, const int*,
                                         const PMI_keyval_t**, int, const PMI_keyval_t*, int*) {
    return fail;
}
SLUICE_PMI_EXPORT int PMI_Parse_option(int, char**, int*, PMI_keyval_t**, int*) {
    return fail;
}
SLUICE_PMI_EXPORT int PMI_Args_to_keyval(int*, char***, PMI_keyval_t**, int*) {
    return fail;
}
SLUICE_PMI_EXPORT int PMI_Free_keyvals(PMI_keyval_t*, int) {
    return fail;
}
SLUICE_PMI_EXPORT int PMI_Get_options(char*, int*) {
    return fail;
}
