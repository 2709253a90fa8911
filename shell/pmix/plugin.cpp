// A PMIx server by libpmix: registers the job, hands the requests of its tasks to the shell, and
// the shell's answers to the tasks. See plugin.hpp.
#include "shell/pmix/plugin.hpp"

#include <pmix.h>
#include <pmix_server.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace sluice::shell {
namespace {

PmixEvents events;
std::string nspace;
std::string problem;  // the last answer of start()

/// An array of pmix_info_t that is built up and freed as libpmix wants it.
class Infos {
  public:
    void add(const char* key, const char* text) { add_value(key, text, PMIX_STRING); }
    void add(const char* key, std::uint32_t number) { add_value(key, &number, PMIX_UINT32); }
    void add_rank(const char* key, pmix_rank_t rank) { add_value(key, &rank, PMIX_PROC_RANK); }
    void add_short(const char* key, std::uint16_t number) {
        add_value(key, &number, PMIX_UINT16);
    }
    void add_array(const char* key, Infos& members) {
        pmix_data_array_t array{};
        array.type = PMIX_INFO;
        array.size = members.infos_.size();
        array.array = members.infos_.data();
        add_value(key, &array, PMIX_DATA_ARRAY);
    }
    ~Infos() {
        for (pmix_info_t& info : infos_) PMIX_INFO_DESTRUCT(&info);
    }
    pmix_info_t* data() { return infos_.data(); }
    std::size_t size() const { return infos_.size(); }

  private:
    void add_value(const char* key, const void* value, pmix_data_type_t type) {
        pmix_info_t& info = infos_.emplace_back();
        PMIX_INFO_CONSTRUCT(&info);
        PMIX_INFO_LOAD(&info, key, value, type);
    }
    std::vector<pmix_info_t> infos_;
};

struct Ticket {
    pmix_modex_cbfunc_t done;
    void* context;
};

std::uint64_t make_ticket(pmix_modex_cbfunc_t done, void* context) {
    return reinterpret_cast<std::uint64_t>(new Ticket{done, context});
}

pmix_proc_t proc_of(pmix_rank_t rank) {
    pmix_proc_t proc;
    PMIX_PROC_CONSTRUCT(&proc);
    PMIX_LOAD_PROCID(&proc, nspace.c_str(), rank);
    return proc;
}

// What libpmix calls, on its thread.

pmix_status_t fence(const pmix_proc_t procs[], std::size_t nprocs, const pmix_info_t[],
                    std::size_t, char* data, std::size_t size, pmix_modex_cbfunc_t done,
                    void* context) {
    std::vector<std::uint32_t> ranks;
    for (std::size_t i = 0; i < nprocs; ++i) {
        if (nspace != procs[i].nspace) return PMIX_ERR_NOT_SUPPORTED;  // jobs are not connected
        if (procs[i].rank == PMIX_RANK_WILDCARD) {
            ranks.clear();
            break;
        }
        ranks.push_back(procs[i].rank);
    }
    events.on_fence(events.context, make_ticket(done, context), ranks.data(), ranks.size(), data,
                    size);
    std::free(data);  // it is ours now
    return PMIX_SUCCESS;
}

pmix_status_t modex(const pmix_proc_t* proc, const pmix_info_t[], std::size_t,
                    pmix_modex_cbfunc_t done, void* context) {
    if (nspace != proc->nspace) return PMIX_ERR_NOT_FOUND;
    events.on_modex(events.context, make_ticket(done, context), proc->rank);
    return PMIX_SUCCESS;
}

pmix_status_t abort_job(const pmix_proc_t* proc, void*, int status, const char message[],
                        pmix_proc_t[], std::size_t, pmix_op_cbfunc_t done, void* context) {
    events.on_abort(events.context, proc->rank, status, message ? message : "");
    if (done) done(PMIX_SUCCESS, context);
    return PMIX_SUCCESS;
}

pmix_status_t connected(const pmix_proc_t* proc, void*, pmix_info_t[], std::size_t,
                        pmix_op_cbfunc_t, void*) {
    events.on_connected(events.context, proc->rank);
    return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t finalized(const pmix_proc_t*, void*, pmix_op_cbfunc_t, void*) {
    return PMIX_OPERATION_SUCCEEDED;
}

pmix_server_module_t module_of_shell() {
    pmix_server_module_t module{};
    module.client_connected2 = connected;
    module.client_finalized = finalized;
    module.abort = abort_job;
    module.fence_nb = fence;
    module.direct_modex = modex;
    return module;
}
pmix_server_module_t server_module = module_of_shell();

// What the shell calls.

bool good(pmix_status_t status, const char* what) {
    if (status == PMIX_SUCCESS || status == PMIX_OPERATION_SUCCEEDED) return true;
    problem = std::string(what) + ": " + PMIx_Error_string(status);
    return false;
}

void add_process(Infos& infos, const PmixJob& job, std::uint32_t rank) {
    Infos members;
    members.add_rank(PMIX_RANK, rank);
    members.add(PMIX_APPNUM, 0u);
    members.add_rank(PMIX_GLOBAL_RANK, rank);
    members.add_rank(PMIX_APP_RANK, rank);
    members.add_short(PMIX_LOCAL_RANK, static_cast<std::uint16_t>(job.local_rank_of[rank]));
    members.add_short(PMIX_NODE_RANK, static_cast<std::uint16_t>(job.local_rank_of[rank]));
    members.add(PMIX_NODEID, job.node_of[rank]);
    members.add(PMIX_HOSTNAME, job.node_names[job.node_of[rank]]);
    infos.add_array(PMIX_PROC_DATA, members);
}

bool register_job(const PmixJob& job) {
    char *nodes = nullptr, *procs = nullptr;
    if (!good(PMIx_generate_regex(job.nodes, &nodes), "PMIx_generate_regex")) return false;
    if (!good(PMIx_generate_ppn(job.procs, &procs), "PMIx_generate_ppn")) return false;
    std::string local_peers;
    for (std::uint32_t i = 0; i < job.nlocal; ++i)
        local_peers += (i > 0 ? "," : "") + std::to_string(job.local_ranks[i]);
    Infos infos;
    infos.add(PMIX_JOBID, job.nspace);
    infos.add(PMIX_NODE_MAP, nodes);
    infos.add(PMIX_PROC_MAP, procs);
    infos.add(PMIX_UNIV_SIZE, job.ntasks);
    infos.add(PMIX_JOB_SIZE, job.ntasks);
    infos.add(PMIX_APP_SIZE, job.ntasks);
    infos.add(PMIX_MAX_PROCS, job.ntasks);
    infos.add(PMIX_JOB_NUM_APPS, 1u);
    infos.add(PMIX_NUM_NODES, job.nnodes);
    infos.add(PMIX_LOCAL_SIZE, job.nlocal);
    infos.add(PMIX_NODE_SIZE, job.nlocal);
    infos.add(PMIX_LOCAL_PEERS, local_peers.c_str());
    infos.add_rank(PMIX_LOCALLDR, job.nlocal > 0 ? job.local_ranks[0] : 0);
    infos.add(PMIX_TMPDIR, job.tmpdir);
    infos.add(PMIX_NSDIR, job.tmpdir);
    for (std::uint32_t rank = 0; rank < job.ntasks; ++rank) add_process(infos, job, rank);
    const pmix_status_t status =
        PMIx_server_register_nspace(job.nspace, static_cast<int>(job.nlocal), infos.data(),
                                    infos.size(), nullptr, nullptr);
    std::free(nodes);
    std::free(procs);
    return good(status, "PMIx_server_register_nspace");
}

bool start_server(const PmixJob& job) {
    Infos infos;
    infos.add(PMIX_SERVER_TMPDIR, job.tmpdir);
    infos.add(PMIX_SYSTEM_TMPDIR, job.tmpdir);
    infos.add(PMIX_HOSTNAME, job.node);
    if (!good(PMIx_server_init(&server_module, infos.data(), infos.size()), "PMIx_server_init"))
        return false;
    if (!register_job(job)) return false;
    for (std::uint32_t i = 0; i < job.nlocal; ++i) {
        const pmix_proc_t proc = proc_of(job.local_ranks[i]);
        if (!good(PMIx_server_register_client(&proc, ::getuid(), ::getgid(), nullptr, nullptr,
                                              nullptr),
                  "PMIx_server_register_client"))
            return false;
    }
    return true;
}

const char* start(const PmixJob* job, const PmixEvents* shell) {
    events = *shell;
    nspace = job->nspace;
    return start_server(*job) ? nullptr : problem.c_str();
}

bool environment(std::uint32_t rank, void (*add)(void*, const char*), void* context) {
    const pmix_proc_t proc = proc_of(rank);
    char** entries = nullptr;
    if (PMIx_server_setup_fork(&proc, &entries) != PMIX_SUCCESS) return false;
    for (char** entry = entries; entry && *entry; ++entry) {
        add(context, *entry);
        std::free(*entry);
    }
    std::free(entries);
    return true;
}

void answer(std::uint64_t number, bool ok, const char* data, std::size_t size) {
    Ticket* ticket = reinterpret_cast<Ticket*>(number);
    char* copy = nullptr;
    if (size > 0) {
        copy = static_cast<char*>(std::malloc(size));
        std::memcpy(copy, data, size);
    }
    ticket->done(ok ? PMIX_SUCCESS : PMIX_ERR_LOST_CONNECTION, copy, size, ticket->context,
                 [](void* memory) { std::free(memory); }, copy);
    delete ticket;
}

void ask(std::uint64_t question, std::uint32_t rank) {
    const pmix_proc_t proc = proc_of(rank);
    const auto on_data = [](pmix_status_t status, char* data, std::size_t size, void* context) {
        const bool found = status == PMIX_SUCCESS;
        events.on_data(events.context, reinterpret_cast<std::uint64_t>(context), data,
                       found ? size : 0);
    };
    if (PMIx_server_dmodex_request(&proc, on_data, reinterpret_cast<void*>(question)) !=
        PMIX_SUCCESS)
        events.on_data(events.context, question, nullptr, 0);
}

constexpr PmixPlugin plugin{start, environment, answer, ask};

}  // namespace
}  // namespace sluice::shell

extern "C" __attribute__((visibility("default"))) const sluice::shell::PmixPlugin*
sluice_pmix_plugin() {
    return &sluice::shell::plugin;
}
