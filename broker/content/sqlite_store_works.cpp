#include "broker/content/sqlite_store_works.hpp"

namespace sluice {

void StoreWorks::take(std::vector<StoreWork> works) {
    std::size_t next = 0;
    while (next < works.size()) {
        if (works[next].batch) next = commit_from(works, next);
        else answer_question(works[next++]);
    }
}

/// Commits works[first] and the commits that follow it in one transaction. When there is no room
/// for them they wait, and all that come after them too: commits keep their order.
std::size_t StoreWorks::commit_from(std::vector<StoreWork>& works, std::size_t first) {
    std::size_t end = first;
    while (end < works.size() && works[end].batch) ++end;
    const std::span<StoreWork> commits{works.data() + first, end - first};
    Result<void> result;
    if (stalled_.empty()) result = commit(commits);
    if (stalled_.empty() && (result || result.error().errnum() != ENOSPC)) {
        answer(commits, result);
        return end;
    }
    if (stalled_.empty()) tell_stalled(result);
    for (StoreWork& work : commits) {
        for (const auto& append : work.batch->appends) stalled_jobs_.insert(append.id);
        stalled_.push_back(std::move(work));
    }
    return end;
}

/// A question about a job whose commits wait is asked after them, as always.
void StoreWorks::answer_question(StoreWork& work) {
    if (work.about && stalled_jobs_.contains(*work.about)) questions_.push_back(work);
    else work.ask(database_);
}

Result<void> StoreWorks::commit(std::span<const StoreWork> works) {
    Result<void> result = database_.execute("BEGIN IMMEDIATE");
    for (const StoreWork& work : works)
        if (result) result = database_.apply(*work.batch);
    if (result) result = database_.execute("COMMIT");
    if (!result) (void)database_.execute("ROLLBACK");
    return result;
}

void StoreWorks::answer(std::span<StoreWork> works, const Result<void>& result) {
    std::vector<SqliteStore::Done> dones;
    for (StoreWork& work : works) dones.push_back(std::move(work.done));
    post_([dones = std::move(dones), result] {
        for (const auto& done : dones) done(result);
    });
}

void StoreWorks::retry() {
    if (stalled_.empty()) return;
    const Result<void> result = commit(stalled_);
    if (!result && result.error().errnum() == ENOSPC) return;
    tell_stalled({});
    answer(stalled_, result);
    stalled_.clear();
    stalled_jobs_.clear();
    for (const StoreWork& work : std::exchange(questions_, {})) work.ask(database_);
}

void StoreWorks::tell_stalled(const Result<void>& result) {
    post_([on_stalled = on_stalled_, result] {
        if (on_stalled) on_stalled(result);
    });
}

}  // namespace sluice
