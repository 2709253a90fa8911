#include "cmd/job/debugger.hpp"

#include <string>

#include "base/rfc/fluid.hpp"

// Names, types and values are those of the interface.
extern "C" {
struct MPIR_PROCDESC {
    const char* host_name;
    const char* executable_name;
    int pid;
};
[[gnu::used]] MPIR_PROCDESC* MPIR_proctable = nullptr;
[[gnu::used]] int MPIR_proctable_size = 0;
[[gnu::used]] volatile int MPIR_debug_state = 0;
[[gnu::used]] volatile int MPIR_being_debugged = 0;
[[gnu::used]] int MPIR_partial_attach_ok = 1;
[[gnu::used]] const char* totalview_jobid = nullptr;
[[gnu::used, gnu::noinline]] void MPIR_Breakpoint() { asm volatile(""); }
}

namespace sluice::debugger {
namespace {

constexpr int debug_spawned = 1;

struct Shown {
    std::string job;
    std::vector<TaskProcess> tasks;  // owns the texts that `table` points to
    std::vector<MPIR_PROCDESC> table;
} shown;

}  // namespace

bool present() { return MPIR_being_debugged != 0; }
void expect() { MPIR_being_debugged = 1; }

void show_tasks(JobId id, const std::vector<TaskProcess>& tasks) {
    shown = {to_f58(id), tasks, {}};
    for (const TaskProcess& task : shown.tasks)
        shown.table.push_back(
            {task.host.c_str(), task.executable.c_str(), static_cast<int>(task.pid)});
    totalview_jobid = shown.job.c_str();
    MPIR_proctable = shown.table.data();
    MPIR_proctable_size = static_cast<int>(shown.table.size());
    MPIR_debug_state = debug_spawned;
    MPIR_Breakpoint();
}

}  // namespace sluice::debugger
