#include "broker/jobs/housekeeping_fsm.hpp"

namespace sluice {

HousekeepingFsm::Release HousekeepingFsm::release() {
    Release release{held_ - pending_, pending_.empty()};
    held_ = pending_;
    if (release.final) deadline_.reset();
    return release;
}

HousekeepingFsm::Release HousekeepingFsm::on_done(std::uint32_t rank, double now) {
    if (!pending_.contains(rank)) return {};
    pending_.erase(rank);
    if (pending_.empty() || partial_ || release_after_ == 0) return release();
    if (release_after_ > 0 && !deadline_) deadline_ = now + release_after_;
    return {};
}

HousekeepingFsm::Release HousekeepingFsm::on_time(double now) {
    if (!deadline_ || *deadline_ > now) return {};
    deadline_.reset();
    partial_ = true;
    return release();
}

}  // namespace sluice
