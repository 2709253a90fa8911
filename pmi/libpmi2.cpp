// libpmi2.so - the PMI-2 C interface over the PMI-1 simple wire. Node attributes are "local::"
// keys; of the job attributes only PMI_process_mapping and universeSize exist. Spawn, connect and
// the name service return failure.
#include <ctime>

#include "pmi/c_api.hpp"

namespace {

using sluice::pmi::code;
using sluice::pmi::copy_out;
using sluice::pmi::process_client;
using sluice::pmi::SimpleClient;
using sluice::pmi::Status;
using sluice::pmi::with_client;

const int fail = code(Status::fail);
const int bad_argument = code(Status::bad_argument);

/// A key that may be absent: success with *found 0 then.
int copy_attribute(const sluice::Result<std::string>& value, char* to, int length, int* found) {
    if (found) *found = value.has_value();
    if (!value) return value.error().errnum() == ENOENT && found ? 0 : code(value.error());
    return copy_out(std::string_view{*value}, to, length);
}

}  // namespace

struct PMI_keyval_t;
struct MPID_Info;
struct PMI2_Connect_comm_t;

/// By this symbol a Flux client library recognises that the library is Flux's own.
extern "C" __attribute__((visibility("default"))) const int flux_pmi_library;
const int flux_pmi_library = 2;

SLUICE_PMI_EXPORT int PMI2_Init(int* spawned, int* size, int* rank, int* appnum) {
    auto& client = process_client();
    if (client) return fail;
    auto opened = SimpleClient::from_environment();
    if (!opened) return fail;
    const auto number = opened->appnum();
    if (!number) return code(number.error());
    client.emplace(std::move(*opened));
    if (spawned) *spawned = client->spawned();
    if (size) *size = static_cast<int>(client->size());
    if (rank) *rank = static_cast<int>(client->rank());
    if (appnum) *appnum = *number;
    return 0;
}

SLUICE_PMI_EXPORT int PMI2_Finalize() {
    return with_client([](SimpleClient& client) {
        const int result = code(client.finalize());
        process_client().reset();
        return result;
    });
}

SLUICE_PMI_EXPORT int PMI2_Initialized() {
    return process_client().has_value();
}

SLUICE_PMI_EXPORT int PMI2_Abort(int, const char* message) {
    return with_client([&](SimpleClient& client) {
        client.abort(1, message ? message : "");
        std::exit(1);
        return 0;
    });
}

SLUICE_PMI_EXPORT int PMI2_Job_GetId(char* id, int length) {
    return with_client(
        [&](SimpleClient& client) { return copy_out(client.kvsname(), id, length); });
}

SLUICE_PMI_EXPORT int PMI2_Job_GetRank(int* rank) {
    if (!rank) return bad_argument;
    return with_client([&](SimpleClient& client) {
        *rank = static_cast<int>(client.rank());
        return 0;
    });
}

SLUICE_PMI_EXPORT int PMI2_Info_GetSize(int* size) {
    if (!size) return bad_argument;
    return with_client([&](SimpleClient& client) {
        *size = static_cast<int>(client.size());
        return 0;
    });
}

SLUICE_PMI_EXPORT int PMI2_KVS_Put(const char* key, const char* value) {
    if (!key || !value) return bad_argument;
    return with_client([&](SimpleClient& client) { return code(client.put(key, value)); });
}

SLUICE_PMI_EXPORT int PMI2_KVS_Get(const char*, int, const char* key, char* value, int length,
                                   int* value_length) {
    if (!key || !value || !value_length) return bad_argument;
    return with_client([&](SimpleClient& client) {
        const auto found = client.get(key);
        if (!found) return code(found.error());
        const int size = static_cast<int>(found->size());
        *value_length = size < length ? size : -size;  // negative: the buffer is too small
        return copy_out(std::string_view{*found}, value, length);
    });
}

SLUICE_PMI_EXPORT int PMI2_KVS_Fence() {
    return with_client([](SimpleClient& client) { return code(client.barrier()); });
}

SLUICE_PMI_EXPORT int PMI2_Info_GetJobAttr(const char* name, char* value, int length, int* found) {
    if (!name || !value) return bad_argument;
    return with_client([&](SimpleClient& client) {
        const std::string_view key = name;
        if (key == "PMI_process_mapping")
            return copy_attribute(client.get(key), value, length, found);
        if (found) *found = 0;
        if (key != "universeSize") return code(Status::bad_key);
        const auto size = client.universe_size();
        if (!size) return code(size.error());
        if (found) *found = 1;
        return copy_out(std::string_view{std::to_string(*size)}, value, length);
    });
}

SLUICE_PMI_EXPORT int PMI2_Info_PutNodeAttr(const char* name, const char* value) {
    if (!name || !value) return bad_argument;
    return with_client([&](SimpleClient& client) {
        return code(client.put(std::string{"local::"} + name, value));
    });
}

SLUICE_PMI_EXPORT int PMI2_Info_GetNodeAttr(const char* name, char* value, int length, int* found,
                                            int wait_for) {
    if (!name || !value) return bad_argument;
    return with_client([&](SimpleClient& client) {
        const std::string key = std::string{"local::"} + name;
        auto attribute = client.get(key);
        // Another task of this node is going to put it; the wire has no notice for that.
        for (const timespec pause{0, 1'000'000};
             wait_for && !attribute && attribute.error().errnum() == ENOENT;
             attribute = client.get(key))
            ::nanosleep(&pause, nullptr);
        return copy_attribute(attribute, value, length, found);
    });
}

SLUICE_PMI_EXPORT int PMI2_Info_GetNodeAttrIntArray(const char*, int*, int, int*, int*) {
    return fail;
}
SLUICE_PMI_EXPORT int PMI2_Info_GetJobAttrIntArray(const char*, int*, int, int*, int*) {
    return fail;
}
SLUICE_PMI_EXPORT int PMI2_Job_Spawn(int, const char**, int, const char***, const int*, const int*,
                                     const MPID_Info**, int, const MPID_Info**, char*, int, int*) {
    return fail;
}
SLUICE_PMI_EXPORT int PMI2_Job_Connect(const char*, PMI2_Connect_comm_t*) {
    return fail;
}
SLUICE_PMI_EXPORT int PMI2_Job_Disconnect(const char*) {
    return fail;
}
SLUICE_PMI_EXPORT int PMI2_Nameserv_publish(const char*, const MPID_Info*, const char*) {
    return fail;
}
SLUICE_PMI_EXPORT int PMI2_Nameserv_lookup(const char*, const MPID_Info*, char*, int) {
    return fail;
}
SLUICE_PMI_EXPORT int PMI2_Nameserv_unpublish(const char*, const MPID_Info*) {
    return fail;
}
