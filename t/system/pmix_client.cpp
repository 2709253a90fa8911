// A PMIx program for pmix.test: pmix_client MODE. Each task puts a value, enters a fence and reads
// what all others have put.
//     collect   the fence exchanges the data
//     fetch     it does not: each value is fetched from where it is
//     group     a fence of the tasks with an even rank, then one of all
//     abort     task 1 aborts with 7
#include <pmix.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

pmix_proc_t self;

void check(pmix_status_t status, const char* what) {
    if (status == PMIX_SUCCESS) return;
    std::fprintf(stderr, "task %u: %s: %s\n", self.rank, what, PMIx_Error_string(status));
    std::exit(1);
}

pmix_proc_t peer(pmix_rank_t rank) {
    pmix_proc_t proc;
    PMIX_LOAD_PROCID(&proc, self.nspace, rank);
    return proc;
}

std::uint32_t job_number(const char* key) {
    const pmix_proc_t job = peer(PMIX_RANK_WILDCARD);
    pmix_value_t* value = nullptr;
    check(PMIx_Get(&job, key, nullptr, 0, &value), key);
    const std::uint32_t number = value->data.uint32;
    PMIX_VALUE_RELEASE(value);
    return number;
}

void put(const std::string& key, const std::string& text) {
    pmix_value_t value;
    PMIX_VALUE_CONSTRUCT(&value);
    value.type = PMIX_STRING;
    value.data.string = strdup(text.c_str());
    check(PMIx_Put(PMIX_GLOBAL, key.c_str(), &value), "PMIx_Put");
    check(PMIx_Commit(), "PMIx_Commit");
}

void fence(const std::vector<pmix_proc_t>& procs, bool collect) {
    pmix_info_t info;
    PMIX_INFO_CONSTRUCT(&info);
    PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, &collect, PMIX_BOOL);
    check(PMIx_Fence(procs.data(), procs.size(), &info, 1), "PMIx_Fence");
}

void read_all(const std::string& key, std::uint32_t size, std::uint32_t stride) {
    for (std::uint32_t rank = 0; rank < size; rank += stride) {
        const pmix_proc_t proc = peer(rank);
        pmix_value_t* value = nullptr;
        check(PMIx_Get(&proc, key.c_str(), nullptr, 0, &value), "PMIx_Get");
        const std::string wanted = key + " of " + std::to_string(rank);
        if (value->type != PMIX_STRING || wanted != value->data.string) {
            std::fprintf(stderr, "task %u: wrong value of %u\n", self.rank, rank);
            std::exit(1);
        }
        PMIX_VALUE_RELEASE(value);
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::string mode = argc > 1 ? argv[1] : "collect";
    check(PMIx_Init(&self, nullptr, 0), "PMIx_Init");
    const std::uint32_t size = job_number(PMIX_JOB_SIZE);
    const std::string mine = " of " + std::to_string(self.rank);
    const std::vector<pmix_proc_t> all{peer(PMIX_RANK_WILDCARD)};
    if (mode == "group" && self.rank % 2 == 0) {
        std::vector<pmix_proc_t> even;
        for (std::uint32_t rank = 0; rank < size; rank += 2) even.push_back(peer(rank));
        put("even", "even" + mine);
        fence(even, true);
        read_all("even", size, 2);
    }
    for (const std::string key : {"first", "second"}) {
        put(key, key + mine);
        fence(all, mode != "fetch");
        read_all(key, size, 1);
    }
    if (mode == "abort") {
        if (self.rank == 1) PMIx_Abort(7, "enough of it", nullptr, 0);
        ::sleep(60);
    }
    fence(all, false);  // nobody leaves while another may still fetch from him
    std::printf("task %u of %u on %u nodes, %u here: %s\n", self.rank, size,
                job_number(PMIX_NUM_NODES), job_number(PMIX_LOCAL_SIZE), mode.c_str());
    check(PMIx_Finalize(nullptr, 0), "PMIx_Finalize");
    return 0;
}
