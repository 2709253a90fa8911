#include "broker/lifecycle/bootstrap.hpp"

namespace sluice {

Bootstrap bootstrap_single(const std::string& hostname) {
    Bootstrap boot;
    boot.hosts.append(hostname);
    boot.topo = TopologyKind{}.to_string();
    boot.mapping = "[[0,1,1,1]]";
    return boot;
}

}  // namespace sluice
