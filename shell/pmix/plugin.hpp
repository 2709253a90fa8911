// What flux-shell and its plugin flux-shell-pmix.so say to each other. The plugin alone links
// libpmix, so that only jobs with -o pmi=pmix load it. Plain C on both sides: each has its own copy
// of the C++ library.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::shell {

/// The job as tasks are told of it. Arrays of `ntasks` are by task rank.
struct PmixJob {
    const char* nspace;
    const char* tmpdir;
    const char* nodes;  // names, different ones, separated by commas
    const char* procs;  // ranks of each node: "0,1;2,3"
    const char* node;   // our name
    std::uint32_t ntasks, nnodes, nlocal;
    const std::uint32_t* node_of;        // index of a task's node
    const std::uint32_t* local_rank_of;  // its number there
    const std::uint32_t* local_ranks;    // tasks of this node, `nlocal` of them
    const char* const* node_names;       // `nnodes` of them
};

/// Called from a thread of libpmix; data is valid during the call. A ticket is answered once, by
/// PmixPlugin::answer.
struct PmixEvents {
    void* context;
    /// All local tasks among `ranks` (count 0: all tasks of the job) are in a fence with this data.
    void (*on_fence)(void* context, std::uint64_t ticket, const std::uint32_t* ranks,
                     std::size_t count, const char* data, std::size_t size);
    /// A task wants what task `rank` of another node has put.
    void (*on_modex)(void* context, std::uint64_t ticket, std::uint32_t rank);
    /// The answer to PmixPlugin::ask; no data: it has none.
    void (*on_data)(void* context, std::uint64_t question, const char* data, std::size_t size);
    void (*on_abort)(void* context, std::uint32_t rank, int status, const char* message);
    /// A task has called PMIx_Init.
    void (*on_connected)(void* context, std::uint32_t rank);
};

struct PmixPlugin {
    /// nullptr, or what went wrong.
    const char* (*start)(const PmixJob* job, const PmixEvents* events);
    /// Calls `add` for each "NAME=value" that task `rank` needs. False when libpmix refuses.
    bool (*environment)(std::uint32_t rank, void (*add)(void* context, const char* entry),
                        void* context);
    void (*answer)(std::uint64_t ticket, bool ok, const char* data, std::size_t size);
    /// Asks for what a task of ours has put; on_data comes once it has.
    void (*ask)(std::uint64_t question, std::uint32_t rank);
};

/// The one symbol of the plugin, of type `const PmixPlugin* ()`.
constexpr const char* pmix_plugin_symbol = "sluice_pmix_plugin";

}  // namespace sluice::shell
