// Which address of this host other brokers should use (tbon.interface-hint; cli.md 4.4).
#pragma once

#include <string>

#include "base/result.hpp"

namespace sluice {

/// `hint` is "default-route", "hostname", the name of an interface, or a network "10.0.0.0/8".
/// The first two fall back on each other and on the loopback address.
/// Errors: ENODEV no interface matches, with the interfaces there are.
Result<std::string> interface_address(const std::string& hint);

/// Whether a broker can bind `endpoint` by the look of it: "tcp://*:P", an address, an interface.
/// Errors: ENODEV the interface does not exist, with those there are.
Result<void> check_bind_endpoint(const std::string& endpoint);

}  // namespace sluice
