#include "broker/parts.hpp"

namespace sluice {
namespace {

using enum Stage;
using enum Ranks;

constexpr PartRow rows[] = {
    {"attr", core, all, make_attr},
};

}  // namespace

std::span<const PartRow> broker_parts() { return rows; }

}  // namespace sluice
