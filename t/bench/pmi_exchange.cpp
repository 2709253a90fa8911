// A task of the PMI benchmark: puts a value of 100 bytes, enters the barrier and reads what a task
// on another node has put, ROUNDS times.
#include <fmt/format.h>

#include <cstdlib>

#include "pmi/simple_client.hpp"

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 1;
    auto pmi = sluice::pmi::SimpleClient::from_environment();
    if (!pmi) return 1;
    const std::uint32_t rank = pmi->rank(), size = pmi->size(), other = (rank + size / 2) % size;
    const auto value = [](std::uint32_t of, int round) {
        return fmt::format("{:0>50}{:0>50}", of, round);
    };
    for (int round = 0; round < rounds; ++round) {
        if (!pmi->put(fmt::format("k{}.{}", round, rank), value(rank, round))) return 1;
        if (!pmi->barrier()) return 1;
        const auto got = pmi->get(fmt::format("k{}.{}", round, other));
        if (!got || *got != value(other, round)) return 1;
    }
    return pmi->finalize() ? 0 : 1;
}
