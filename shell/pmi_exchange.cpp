#include "shell/pmi_exchange.hpp"

#include <algorithm>

namespace sluice::shell {

std::optional<std::uint32_t> PmiExchange::parent() const {
    if (options_.shell_rank == 0) return std::nullopt;
    return (options_.shell_rank - 1) / options_.fanout;
}

std::uint32_t PmiExchange::children() const {
    const std::uint64_t first = std::uint64_t{options_.shell_rank} * options_.fanout + 1;
    if (first >= options_.nnodes) return 0;
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(options_.fanout, options_.nnodes - first));
}

PmiExchange::Step PmiExchange::on_local(const pmi::KeyValues& keys) {
    local_ready_ = true;
    for (const auto& [key, value] : keys) keys_.insert_or_assign(key, value);
    return gathered();
}

PmiExchange::Step PmiExchange::on_child(const pmi::KeyValues& keys) {
    ++children_ready_;
    for (const auto& [key, value] : keys) keys_.insert_or_assign(key, value);
    return gathered();
}

PmiExchange::Step PmiExchange::on_parent(const pmi::KeyValues& keys) {
    return {{}, keys};
}

PmiExchange::Step PmiExchange::gathered() {
    if ((options_.has_tasks && !local_ready_) || children_ready_ < children()) return {};
    local_ready_ = false;
    children_ready_ = 0;
    pmi::KeyValues all = std::exchange(keys_, {});
    if (parent()) return {std::move(all), {}};
    return {{}, std::move(all)};
}

}  // namespace sluice::shell
